# What the targets bankstripe_verify_* run: builds the program as it is, in a
# build of its own with the same settings, and compares it with the rewritten
# one. The variables come from BankstripeRewrite.cmake.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cmake_policy(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(GET ARGN 0 name)
    message(FATAL_ERROR "'${name}' ends with ${status}")
  endif()
endfunction()

if(NOT VERIFIER)
  message(FATAL_ERROR "this installation has no bankstripe-verify: it is built where the CUDA toolkit is")
endif()
cmake_path(IS_PREFIX BUILD ${PROGRAM} inside)
if(NOT inside)
  message(FATAL_ERROR "'${PROGRAM}' lies outside of '${BUILD}', where both builds would write it; "
                      "change its RUNTIME_OUTPUT_DIRECTORY")
endif()
cmake_path(RELATIVE_PATH PROGRAM BASE_DIRECTORY ${BUILD} OUTPUT_VARIABLE place)

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${ORIGINAL} -G ${GENERATOR} -C ${CACHE}
    -DBANKSTRIPE_REWRITE=OFF --no-warn-unused-cli --log-level=WARNING)
if(CONFIG)
  set(CONFIG --config ${CONFIG})
endif()
run(${CMAKE_COMMAND} --build ${ORIGINAL} --target ${TARGET} ${CONFIG})
if(ARGUMENTS)
  list(PREPEND ARGUMENTS --)
endif()
run(${VERIFIER} ${OPTIONS} ${ORIGINAL}/${place} ${PROGRAM} ${ARGUMENTS})
