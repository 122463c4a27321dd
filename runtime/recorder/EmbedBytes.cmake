# Writes the bytes of the file INPUT into the C++ source OUTPUT, as the array
# NAME. Run with `cmake -P`.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT}
     "extern \"C\" {\nextern const unsigned char ${NAME}[];\nalignas(16) const unsigned char "
     "${NAME}[] = {\n${bytes}};\n}\n")
