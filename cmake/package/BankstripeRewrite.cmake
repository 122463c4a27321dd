# bankstripe_rewrite(): the CUDA sources of targets are compiled as bankstripe
# rewrites them, planned for as one program. docs/cmake.md describes it.
#
# Two steps make that of a build:
#
#   `bankstripe rewrite --plan-dir` reads all the sources before any of them is
#   compiled, and writes for each what changes in it and in its headers;
#   `bankstripe wrap --plan`, before the compiler, compiles copies with that.
#
# An object depends on the plan of its own source only, so it is made again when
# the source, a header, or what is decided about them has changed, and not when
# another source has.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include_guard(GLOBAL)
cmake_policy(VERSION 3.25)

option(BANKSTRIPE_REWRITE "Let bankstripe_rewrite() rewrite; OFF compiles the sources as they are" ON)
set(_BANKSTRIPE_PACKAGE_DIR ${CMAKE_CURRENT_LIST_DIR})

# bankstripe_rewrite(TARGET target... [CONFIG file] [FACTS file] [OPTIONS option...]
#                    [VERIFY_OPTIONS option...] [VERIFY_ARGUMENTS argument...])
function(bankstripe_rewrite)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "CONFIG;FACTS"
                        "TARGET;OPTIONS;VERIFY_OPTIONS;VERIFY_ARGUMENTS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bankstripe_rewrite: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_TARGET)
    message(FATAL_ERROR "bankstripe_rewrite: give TARGET and at least one target")
  endif()
  if(ARG_FACTS AND ARG_CONFIG)
    message(FATAL_ERROR "bankstripe_rewrite: choose one of CONFIG and FACTS")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "^(Ninja|Ninja Multi-Config|Unix Makefiles)$")
    message(FATAL_ERROR "bankstripe_rewrite: the generator '${CMAKE_GENERATOR}' is not supported; "
                        "use Ninja, Ninja Multi-Config or Unix Makefiles")
  endif()
  list(GET ARG_TARGET 0 name)
  foreach(target IN LISTS ARG_TARGET)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "bankstripe_rewrite: there is no target '${target}'")
    endif()
    get_target_property(owner ${target} _BANKSTRIPE_OWNER)
    if(owner)
      message(FATAL_ERROR "bankstripe_rewrite: '${target}' is rewritten already, with '${owner}'")
    endif()
    set_target_properties(${target} PROPERTIES _BANKSTRIPE_OWNER ${name})
  endforeach()
  if(NOT BANKSTRIPE_REWRITE)
    return()
  endif()
  foreach(variable IN ITEMS CONFIG FACTS)
    if(ARG_${variable})
      get_filename_component(ARG_${variable} ${ARG_${variable}} ABSOLUTE)
    endif()
  endforeach()
  foreach(variable IN ITEMS TARGET CONFIG FACTS OPTIONS VERIFY_OPTIONS VERIFY_ARGUMENTS)
    set_property(GLOBAL PROPERTY _BANKSTRIPE_${name}_${variable} "${ARG_${variable}}")
  endforeach()
  # Sources and properties may still be added to the targets.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _bankstripe_rewrite_now [[${name}]])")
endfunction()

# The program itself: launchers are not written with generator expressions.
function(_bankstripe_find_program target result)
  get_target_property(program ${target} LOCATION)
  set(${result} ${program} PARENT_SCOPE)
endfunction()

# CMake would have TARGET make its SOURCE, after the plan for it; of another
# folder, only a target can be waited for.
function(_bankstripe_check_generated target source)
  get_target_property(others ${target} MANUALLY_ADDED_DEPENDENCIES)
  if(NOT others)
    message(FATAL_ERROR "bankstripe_rewrite: '${source}' of '${target}' is generated in another folder; "
                        "call bankstripe_rewrite there, or give it a target of its own with "
                        "add_custom_target, and '${target}' a dependency on that with add_dependencies")
  endif()
endfunction()

# The real paths of the CUDA sources of TARGET.
function(_bankstripe_cuda_sources target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_folder ${target} SOURCE_DIR)
  get_target_property(binary_folder ${target} BINARY_DIR)
  set(found)
  foreach(source IN LISTS sources)
    if(source MATCHES "^\\$<TARGET_OBJECTS:")
      continue()
    elseif(source MATCHES "\\$<")
      message(FATAL_ERROR "bankstripe_rewrite: the source '${source}' of '${target}' is not known "
                          "before the build files are written; add it with if() instead")
    endif()
    get_source_file_property(language ${source} TARGET_DIRECTORY ${target} LANGUAGE)
    get_source_file_property(is_header ${source} TARGET_DIRECTORY ${target} HEADER_FILE_ONLY)
    if(is_header)
      continue()
    endif()
    if(NOT language)
      get_filename_component(extension ${source} LAST_EXT)
      if(NOT extension STREQUAL ".cu")
        continue()
      endif()
    elseif(NOT language STREQUAL "CUDA")
      continue()
    endif()
    get_filename_component(path ${source} ABSOLUTE BASE_DIR ${source_folder})
    if(NOT EXISTS ${path} AND NOT IS_ABSOLUTE ${source})
      get_filename_component(path ${source} ABSOLUTE BASE_DIR ${binary_folder})
    endif()
    get_source_file_property(is_generated ${source} TARGET_DIRECTORY ${target} GENERATED)
    if(is_generated AND NOT source_folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
      _bankstripe_check_generated(${target} ${source})
    endif()
    file(REAL_PATH ${path} path)
    list(APPEND found ${path})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The decisions files above SOURCES. CMake looks again before each build, since
# there may be more of them by then.
function(_bankstripe_find_decisions result)
  set(places)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    while(TRUE)
      list(APPEND places ${folder}/.bankstripe.yaml)
      cmake_path(IS_PREFIX CMAKE_SOURCE_DIR ${folder} inside)
      cmake_path(GET folder PARENT_PATH above)
      if(NOT inside OR folder STREQUAL CMAKE_SOURCE_DIR OR above STREQUAL folder)
        break()
      endif()
      set(folder ${above})
    endwhile()
  endforeach()
  list(REMOVE_DUPLICATES places)
  file(GLOB found CONFIGURE_DEPENDS ${places})
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# PLAN reads what TARGET compiles, so what has to be made before the one has to
# be made before the other.
function(_bankstripe_follow_dependencies plan target group)
  foreach(property IN ITEMS MANUALLY_ADDED_DEPENDENCIES LINK_LIBRARIES)
    get_target_property(names ${target} ${property})
    foreach(name IN LISTS names)
      if(TARGET ${name} AND NOT name IN_LIST group AND NOT name STREQUAL plan)
        add_dependencies(${plan} ${name})
      endif()
    endforeach()
  endforeach()
endfunction()

# Puts LAUNCHER before what starts the compiler of TARGET as it is.
function(_bankstripe_set_launcher target)
  get_target_property(given ${target} CUDA_COMPILER_LAUNCHER)
  if(NOT given)
    set(given)
  endif()
  # That of a whole build does not know the plan.
  if(given)
    list(GET given 0 first)
    cmake_path(GET first FILENAME first)
    if(first STREQUAL "bankstripe")
      list(REMOVE_AT given 0 1)
    endif()
  endif()
  set(launcher ${ARGN} ${given})
  set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
endfunction()

function(_bankstripe_rewrite_now name)
  foreach(variable IN ITEMS TARGET CONFIG FACTS OPTIONS VERIFY_OPTIONS VERIFY_ARGUMENTS)
    get_property(${variable} GLOBAL PROPERTY _BANKSTRIPE_${name}_${variable})
  endforeach()
  set(plan bankstripe_plan_${name})
  set(folder ${CMAKE_BINARY_DIR}/bankstripe/${name})
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(several)
    string(APPEND folder /$<CONFIG>)
  endif()
  _bankstripe_find_program(bankstripe::bankstripe program)
  if(FACTS)
    string(JOIN " " flags ${OPTIONS})
    add_custom_target(${plan} DEPENDS ${FACTS})
    set(launcher ${CMAKE_COMMAND} -E env BANKSTRIPE_FACTS=${FACTS} "BANKSTRIPE_FLAGS=${flags}"
                 ${program} wrap)
  else()
    _bankstripe_add_plan(${plan} ${folder} ${program})
    set(launcher ${program} wrap --plan=${folder}/plan)
  endif()
  foreach(target IN LISTS TARGET)
    _bankstripe_set_launcher(${target} ${launcher})
    _bankstripe_follow_dependencies(${plan} ${target} "${TARGET}")
    add_dependencies(${target} ${plan})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      _bankstripe_add_verify(${target})
    endif()
  endforeach()
endfunction()

# The first of the two steps. Takes variables of its caller.
function(_bankstripe_add_plan plan folder program)
  set(sources)
  set(objects)
  foreach(target IN LISTS TARGET)
    _bankstripe_cuda_sources(${target} of_target)
    list(APPEND sources ${of_target})
    list(APPEND objects "$<TARGET_OBJECTS:${target}>")
    set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
  endforeach()
  if(NOT sources)
    message(FATAL_ERROR "bankstripe_rewrite: '${TARGET}' has no CUDA source")
  endif()
  set(once ${sources})
  list(REMOVE_DUPLICATES once)
  if(NOT once STREQUAL "${sources}")
    message(FATAL_ERROR "bankstripe_rewrite: a source belongs to several of '${TARGET}'; "
                        "give each target a call of its own")
  endif()
  file(GENERATE OUTPUT ${folder}/objects.txt CONTENT "$<JOIN:${objects},\n>\n")
  set(unit_plans ${sources})
  list(TRANSFORM unit_plans PREPEND ${folder}/plan)
  list(TRANSFORM unit_plans APPEND .json)
  if(CONFIG)
    set(decisions ${CONFIG})
    list(APPEND OPTIONS --config=${CONFIG})
  else()
    _bankstripe_find_decisions(decisions ${sources})
  endif()
  if(NOT OPTIONS MATCHES "--?(verbose|explain)")
    list(APPEND OPTIONS --quiet)
  endif()
  list(JOIN TARGET ", " names)
  # CMake writes the commands anew whenever it runs.
  set(commands ${folder}/compile_commands.json)
  add_custom_command(OUTPUT ${commands}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${CMAKE_BINARY_DIR}/compile_commands.json ${commands}
    DEPENDS ${CMAKE_BINARY_DIR}/compile_commands.json
    COMMENT "Looking at the commands for ${names}" VERBATIM)
  add_custom_command(OUTPUT ${folder}/plan/done BYPRODUCTS ${unit_plans}
    COMMAND ${program} rewrite -p ${folder} --objects=${folder}/objects.txt
            --plan-dir=${folder}/plan ${OPTIONS} ${sources}
    DEPENDS ${program} ${sources} ${decisions} ${commands} ${folder}/objects.txt
    DEPFILE ${folder}/plan/done.d
    COMMENT "Planning for ${names}" VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(${plan} DEPENDS ${folder}/plan/done)
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
  set(cache ${CMAKE_BINARY_DIR}/bankstripe/${name}/cache.cmake)
  _bankstripe_write_cache(${cache})
  set(verifier)
  if(TARGET bankstripe::bankstripe-verify)
    _bankstripe_find_program(bankstripe::bankstripe-verify verifier)
  endif()
  add_custom_target(bankstripe_verify_${target}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DBUILD=${CMAKE_BINARY_DIR}
            -DORIGINAL=${CMAKE_BINARY_DIR}/bankstripe/${name}/original
            -DGENERATOR=${CMAKE_GENERATOR} -DCONFIG=$<CONFIG> -DCACHE=${cache}
            -DTARGET=${target} -DPROGRAM=$<TARGET_FILE:${target}> -DVERIFIER=${verifier}
            "-DOPTIONS=${VERIFY_OPTIONS}" "-DARGUMENTS=${VERIFY_ARGUMENTS}"
            -P ${_BANKSTRIPE_PACKAGE_DIR}/BankstripeVerify.cmake
    DEPENDS ${target}
    COMMENT "Comparing ${target} with what it is without bankstripe" VERBATIM USES_TERMINAL)
endfunction()
