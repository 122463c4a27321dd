# bankstripe_rewrite(): the CUDA sources of targets are compiled as bankstripe
# rewrites them. docs/guide/build.md describes it. It sets the launcher of the targets,
# `bankstripe wrap OPTIONS...`, before the one that they have.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include_guard(GLOBAL)
cmake_policy(VERSION 3.25)

option(BANKSTRIPE_REWRITE "Let bankstripe_rewrite() rewrite; OFF compiles the sources as they are" ON)
set(_BANKSTRIPE_PACKAGE_DIR ${CMAKE_CURRENT_LIST_DIR})

# bankstripe_rewrite(TARGET target... [CHOOSE] [CONFIG file] [OPTIONS option...]
#                    [VERIFY_OPTIONS option...] [VERIFY_ARGUMENTS argument...])
function(bankstripe_rewrite)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "CHOOSE" "CONFIG" "TARGET;OPTIONS;VERIFY_OPTIONS;VERIFY_ARGUMENTS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bankstripe_rewrite: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_TARGET)
    message(FATAL_ERROR "bankstripe_rewrite: give TARGET and at least one target")
  endif()
  foreach(option IN LISTS ARG_OPTIONS)
    if(NOT option MATCHES "^-")
      message(FATAL_ERROR "bankstripe_rewrite: '${option}' is no option; write --name=value in one word")
    endif()
  endforeach()
  if(NOT CMAKE_GENERATOR MATCHES "^(Ninja|Ninja Multi-Config|Unix Makefiles)$")
    message(FATAL_ERROR "bankstripe_rewrite: the generator '${CMAKE_GENERATOR}' is not supported; "
                        "use Ninja, Ninja Multi-Config or Unix Makefiles")
  endif()
  if(ARG_CONFIG)
    get_filename_component(config ${ARG_CONFIG} ABSOLUTE)
    list(APPEND ARG_OPTIONS --config=${config})
  endif()
  if(ARG_CHOOSE)
    list(APPEND ARG_OPTIONS --choose)
  endif()
  foreach(target IN LISTS ARG_TARGET)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "bankstripe_rewrite: there is no target '${target}'")
    endif()
    get_target_property(rewritten ${target} _BANKSTRIPE_REWRITTEN)
    if(rewritten)
      message(FATAL_ERROR "bankstripe_rewrite: '${target}' is rewritten already")
    endif()
    set_target_properties(${target} PROPERTIES _BANKSTRIPE_REWRITTEN ON)
    if(BANKSTRIPE_REWRITE)
      _bankstripe_set_launcher(${target} ${ARG_OPTIONS})
      get_target_property(type ${target} TYPE)
      if(type STREQUAL EXECUTABLE)
        _bankstripe_add_verify(${target})
      endif()
    endif()
  endforeach()
endfunction()

# The program itself: launchers are not written with generator expressions.
function(_bankstripe_find_program target result)
  get_target_property(program ${target} LOCATION)
  set(${result} ${program} PARENT_SCOPE)
endfunction()

# Puts the launcher with its options before the one that TARGET has, unless that
# is ours for the whole build, whose options then do not count.
function(_bankstripe_set_launcher target)
  _bankstripe_find_program(bankstripe::bankstripe program)
  get_target_property(given ${target} CUDA_COMPILER_LAUNCHER)
  if(NOT given)
    set(given)
  elseif(given MATCHES "^([^;]*/)?bankstripe;wrap(;-[^;]*)*")
    string(REGEX REPLACE "^([^;]*/)?bankstripe;wrap(;-[^;]*)*;?" "" given "${given}")
  endif()
  set(launcher ${program} wrap ${ARGN} ${given})
  set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
endfunction()

# What was set for this build, for one beside it.
function(_bankstripe_write_cache file)
  get_cmake_property(names CACHE_VARIABLES)
  set(text)
  foreach(name IN LISTS names)
    get_property(type CACHE ${name} PROPERTY TYPE)
    if(NOT type MATCHES "^(INTERNAL|STATIC)$" AND NOT name STREQUAL BANKSTRIPE_REWRITE)
      get_property(value CACHE ${name} PROPERTY VALUE)
      if(type STREQUAL UNINITIALIZED)
        set(type STRING)
      endif()
      string(APPEND text "set(${name} [==[${value}]==] CACHE ${type} \"\")\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "@text@" @ONLY)
endfunction()

# Builds TARGET as it is beside the rewritten one, and compares the two. Takes
# variables of its caller.
function(_bankstripe_add_verify target)
  set(folder ${CMAKE_BINARY_DIR}/bankstripe/${target})
  set(cache ${folder}/cache.cmake)
  # Last, since more may be set.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _bankstripe_write_cache [[${cache}]])")
  set(verifier)
  if(TARGET bankstripe::bankstripe-verify)
    _bankstripe_find_program(bankstripe::bankstripe-verify verifier)
  endif()
  add_custom_target(bankstripe_verify_${target}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DBUILD=${CMAKE_BINARY_DIR}
            -DORIGINAL=${folder}/original
            -DGENERATOR=${CMAKE_GENERATOR} -DCONFIG=$<CONFIG> -DCACHE=${cache}
            -DTARGET=${target} -DPROGRAM=$<TARGET_FILE:${target}> -DVERIFIER=${verifier}
            "-DOPTIONS=${ARG_VERIFY_OPTIONS}" "-DARGUMENTS=${ARG_VERIFY_ARGUMENTS}"
            -P ${_BANKSTRIPE_PACKAGE_DIR}/BankstripeVerify.cmake
    DEPENDS ${target}
    COMMENT "Comparing ${target} with what it is without bankstripe" VERBATIM USES_TERMINAL)
endfunction()
