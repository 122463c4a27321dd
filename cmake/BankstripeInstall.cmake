# What `cmake --install` installs besides the programs. Everything finds the
# rest by its place relative to itself, so that the prefix can be moved.
#
#   bin/                     bankstripe, bankstripe-verify, bankstripe-replay
#   lib/bankstripe/          the recorder, Clang's headers
#   lib/cmake/bankstripe/    the CMake package
#   include/                 the header that rewritten code includes
#   share/                   documents, completions for bash, zsh and fish

include(CMakePackageConfigHelpers)

add_library(bankstripe_helper INTERFACE)
target_include_directories(bankstripe_helper INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/device>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(bankstripe_helper PROPERTIES EXPORT_NAME helper)
install(TARGETS bankstripe_helper EXPORT bankstripeTargets COMPONENT tool)
install(FILES ${PROJECT_BINARY_DIR}/include/bankstripe.cuh # rewriter/model makes it.
              ${PROJECT_BINARY_DIR}/include/bankstripe_launch.cuh
              ${PROJECT_BINARY_DIR}/include/bankstripe_choose.cuh
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tool)

# For any architecture: nothing in it depends on one.
set(package_folder ${BANKSTRIPE_PRIVATE_FOLDER}/../cmake/bankstripe)
cmake_path(NORMAL_PATH package_folder)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/package/bankstripeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/bankstripeConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bankstripeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/bankstripeConfig.cmake
              ${PROJECT_BINARY_DIR}/bankstripeConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/package/BankstripeRewrite.cmake
              ${PROJECT_SOURCE_DIR}/cmake/package/BankstripeVerify.cmake
        DESTINATION ${package_folder} COMPONENT tool)
install(EXPORT bankstripeTargets NAMESPACE bankstripe:: DESTINATION ${package_folder}
        COMPONENT tool)
# find_package() takes the folder of a build as well.
export(EXPORT bankstripeTargets NAMESPACE bankstripe:: FILE ${PROJECT_BINARY_DIR}/bankstripeTargets.cmake)
foreach(part IN ITEMS BankstripeRewrite BankstripeVerify)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/package/${part}.cmake ${PROJECT_BINARY_DIR}/${part}.cmake
                 COPYONLY)
endforeach()
if(TARGET bankstripe-verify)
  export(EXPORT bankstripeVerifyTargets NAMESPACE bankstripe::
         FILE ${PROJECT_BINARY_DIR}/bankstripeVerifyTargets.cmake)
  install(EXPORT bankstripeVerifyTargets NAMESPACE bankstripe:: DESTINATION ${package_folder}
          COMPONENT verify)
endif()

foreach(place IN ITEMS bash:bash-completion/completions/bankstripe
                       zsh:zsh/vendor-completions/_bankstripe
                       fish:fish/vendor_completions.d/bankstripe.fish)
  string(REGEX MATCH "(.*):(.*)/(.*)" _ ${place})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/completion.${CMAKE_MATCH_1} RENAME ${CMAKE_MATCH_3}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2} COMPONENT tool)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        COMPONENT tool FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/sample DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        COMPONENT tool)
