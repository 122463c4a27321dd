# Shared settings of the targets: warnings, and one library per pipeline stage.

add_library(bankstripe_warnings INTERFACE)
target_compile_options(bankstripe_warnings INTERFACE -Wall -Wextra)
# libstdc++ deprecates functions that its own std::stable_sort calls, where Clang
# then warns. Without this macro it deprecates none; LLVM and we still can.
target_compile_options(bankstripe_warnings INTERFACE
                       $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-U__DEPRECATED>)

# bankstripe_stage(NAME [source...] [LINK_LIBS library...])
#
# A static library for this folder of rewriter/, with further sources. Stages see
# the headers of the others as "folder/Header.h".
function(bankstripe_stage name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(bankstripe_${name} STATIC ${sources} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(bankstripe_${name} PUBLIC ${PROJECT_SOURCE_DIR}/rewriter
                                                       ${PROJECT_BINARY_DIR}/rewriter)
  target_link_libraries(bankstripe_${name} PUBLIC bankstripe_llvm bankstripe_contract ${ARG_LINK_LIBS}
                                           PRIVATE bankstripe_warnings)
endfunction()
