# The page without its data, for results of bankstripe-verify and of `bankstripe
# tune`. Style and scripts are put into page.html here, and the whole is compiled
# in.
if(TARGET bankstripe_page_frame)
  return()
endif()
set(folder ${PROJECT_SOURCE_DIR}/runtime/page)
set(scripts Format.js Speedups.js Plan.js Tuning.js Page.js)
list(TRANSFORM scripts PREPEND ${folder}/)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${folder}/page.html ${folder}/Page.css ${scripts})
file(READ ${folder}/page.html BANKSTRIPE_PAGE)
file(READ ${folder}/Page.css style)
set(script "")
foreach(file IN LISTS scripts)
  file(READ ${file} text)
  string(APPEND script "${text}")
endforeach()
string(REPLACE "PAGE_STYLE" "${style}" BANKSTRIPE_PAGE "${BANKSTRIPE_PAGE}")
string(REPLACE "PAGE_SCRIPT" "${script}" BANKSTRIPE_PAGE "${BANKSTRIPE_PAGE}")
configure_file(${folder}/Frame.cpp.in ${PROJECT_BINARY_DIR}/runtime/page/Frame.cpp @ONLY)
add_library(bankstripe_page_frame STATIC ${PROJECT_BINARY_DIR}/runtime/page/Frame.cpp)
target_include_directories(bankstripe_page_frame PUBLIC ${PROJECT_SOURCE_DIR}/runtime)
