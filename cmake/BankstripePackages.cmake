# Debian packages, by CPack, and a Python wheel. Both are made of a build with
# BANKSTRIPE_STATIC_LLVM. `cmake --workflow --preset package` makes all of them:
# bankstripe_*.deb, bankstripe-verify_*.deb and bankstripe-*.whl. docs/install.md
# says more.

if(NOT BANKSTRIPE_STATIC_LLVM)
  return()
endif()

set(BANKSTRIPE_PACKAGE_CONTACT "bankstripe developers <developers@bankstripe.invalid>" CACHE STRING
    "Whom packages name as their maintainer")
set(package_files ${PROJECT_SOURCE_DIR}/cmake/package)

# What Debian wants to find in each package.
string(TIMESTAMP PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${package_files}/copyright.in ${PROJECT_BINARY_DIR}/package/copyright @ONLY)
configure_file(${package_files}/changelog.in ${PROJECT_BINARY_DIR}/package/changelog @ONLY)
find_program(BANKSTRIPE_GZIP gzip REQUIRED)
execute_process(COMMAND ${BANKSTRIPE_GZIP} -9nkf changelog
                WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/package COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN ITEMS tool verify)
  set(name bankstripe)
  if(component STREQUAL verify)
    set(name bankstripe-verify)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/package/copyright ${PROJECT_BINARY_DIR}/package/changelog.gz
          DESTINATION share/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${package_files}/lintian-overrides DESTINATION share/lintian/overrides
          RENAME ${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

# What CPack would miss only after the build.
find_program(BANKSTRIPE_DPKG dpkg)
if(BANKSTRIPE_DPKG)
  foreach(needed IN ITEMS dpkg-shlibdeps:dpkg-dev file:file objdump:binutils)
    string(REGEX MATCH "(.*):(.*)" _ ${needed})
    find_program(BANKSTRIPE_PROGRAM_${CMAKE_MATCH_1} ${CMAKE_MATCH_1})
    if(NOT BANKSTRIPE_PROGRAM_${CMAKE_MATCH_1})
      message(FATAL_ERROR "${CMAKE_MATCH_1} was not found (Debian: ${CMAKE_MATCH_2})")
    endif()
  endforeach()
endif()

# Manual pages, of what --help prints.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(man_folder ${PROJECT_BINARY_DIR}/package/man)
add_custom_target(man ALL
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_man.py
          ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${man_folder}
  DEPENDS bankstripe $<TARGET_NAME_IF_EXISTS:bankstripe-verify> $<TARGET_NAME_IF_EXISTS:bankstripe-replay>
  COMMENT "Writing manual pages" VERBATIM)
install(FILES ${man_folder}/bankstripe.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT tool EXCLUDE_FROM_ALL)
if(TARGET bankstripe-verify)
  install(FILES ${man_folder}/bankstripe-verify.1.gz ${man_folder}/bankstripe-replay.1.gz
          DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT verify EXCLUDE_FROM_ALL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${BANKSTRIPE_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# Only once there is one: the field must be an address that works.
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${BANKSTRIPE_DOCUMENTS_URL})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "rewriting of per-thread CUDA arrays into shared memory")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME bankstripe)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "bankstripe-verify, cmake (>= 3.25)")
set(CPACK_DEBIAN_TOOL_DESCRIPTION "bankstripe is a source-to-source tool for CUDA, built on Clang. It finds
per-thread arrays that the compiler leaves in local memory because they are
indexed dynamically, and moves them into __shared__ memory, laid out so that
every lane of a warp keeps to a bank of its own. It needs neither LLVM nor a
CUDA toolkit; with nvcc it confirms each change.")

# CUPTI comes with the CUDA toolkit, from wherever that was installed.
if(TARGET bankstripe-verify)
  list(APPEND CPACK_COMPONENTS_ALL verify)
  # dpkg-shlibdeps stops at libraries that no package has, so say what it would.
  execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE libc COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "[0-9]+\\.[0-9]+" libc "${libc}")
  set(CPACK_DEBIAN_VERIFY_PACKAGE_NAME bankstripe-verify)
  set(CPACK_DEBIAN_VERIFY_PACKAGE_DEPENDS
      "bankstripe (= ${PROJECT_VERSION}), libc6 (>= ${libc})")
  set(CPACK_DEBIAN_VERIFY_PACKAGE_SUGGESTS "cuda-toolkit-13-0")
  set(CPACK_DEBIAN_VERIFY_DESCRIPTION "This is what 'bankstripe verify', 'replay' and 'tune' run. It records every
launch of two programs on the GPU, compares all of the device memory after
each, and times the kernels. It needs the driver, and CUPTI of a CUDA
toolkit 13.")
endif()
include(CPack)

add_custom_target(wheel
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_wheel.py ${PROJECT_BINARY_DIR}
          ${PROJECT_BINARY_DIR}
  DEPENDS bankstripe man
  COMMENT "Making a wheel" VERBATIM USES_TERMINAL)
