# A tool in one file: the archives of LLVM and Clang instead of their shared
# libraries, and of the libraries that these need. Only the C library stays
# shared. For packages; it takes minutes and gigabytes to link.

# bankstripe_link_llvm_archives(TARGET)
#
# Links whatever links TARGET, an interface library, against the archives that
# belong to the LLVM and the Clang that were found.
function(bankstripe_link_llvm_archives target)
  set(archives)
  foreach(library IN LISTS CLANG_EXPORTED_TARGETS LLVM_AVAILABLE_LIBS)
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      get_target_property(file ${library} LOCATION)
      # Packages of distributions name some that lie in packages of their own.
      if(type STREQUAL STATIC_LIBRARY AND EXISTS ${file})
        list(APPEND archives ${file})
      endif()
    endif()
  endforeach()
  find_library(BANKSTRIPE_ZLIB_ARCHIVE libz.a)
  find_library(BANKSTRIPE_ZSTD_ARCHIVE libzstd.a)
  if(NOT BANKSTRIPE_ZLIB_ARCHIVE OR NOT BANKSTRIPE_ZSTD_ARCHIVE)
    message(FATAL_ERROR "libz.a or libzstd.a was not found (Debian: zlib1g-dev libzstd-dev)")
  endif()
  # They need each other in all directions. What they would call in libraries
  # that are not named here lies in members that nothing reaches.
  target_link_libraries(${target} INTERFACE
    -Wl,--start-group ${archives} -Wl,--end-group
    ${BANKSTRIPE_ZLIB_ARCHIVE} ${BANKSTRIPE_ZSTD_ARCHIVE} ${CMAKE_DL_LIBS} m)
  target_link_options(${target} INTERFACE
    -static-libstdc++ -static-libgcc -Wl,--gc-sections)
  find_program(BANKSTRIPE_LLD NAMES ld.lld-${LLVM_VERSION_MAJOR} ld.lld)
  if(BANKSTRIPE_LLD)
    target_link_options(${target} INTERFACE -fuse-ld=${BANKSTRIPE_LLD})
  endif()
endfunction()

# Where no LLVM is installed, Clang's headers have to come along. Those for the
# instructions of other hosts, and for other languages, stay.
function(bankstripe_install_clang_headers)
  install(DIRECTORY ${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}/include
          DESTINATION ${BANKSTRIPE_PRIVATE_FOLDER}/clang/${LLVM_VERSION_MAJOR} COMPONENT tool
          PATTERN "arm_*.h" EXCLUDE PATTERN "arm64*.h" EXCLUDE PATTERN "opencl*.h" EXCLUDE
          PATTERN "altivec.h" EXCLUDE PATTERN "vecintrin.h" EXCLUDE PATTERN "ppc_wrappers" EXCLUDE
          PATTERN "hexagon*" EXCLUDE PATTERN "hvx*" EXCLUDE PATTERN "riscv*" EXCLUDE
          PATTERN "sifive*" EXCLUDE PATTERN "hlsl*" EXCLUDE PATTERN "lsxintrin.h" EXCLUDE
          PATTERN "lasxintrin.h" EXCLUDE PATTERN "msa.h" EXCLUDE PATTERN "wasm_simd128.h" EXCLUDE
          PATTERN "fuzzer" EXCLUDE PATTERN "orc" EXCLUDE PATTERN "profile" EXCLUDE
          PATTERN "sanitizer" EXCLUDE PATTERN "xray" EXCLUDE)
endfunction()
