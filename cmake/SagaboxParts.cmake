# One library per part, so that a change rebuilds what it touches and an include that goes up the
# layers fails to link as well as to pass scripts/check-layers.

add_library(sagabox_options INTERFACE)
target_compile_options(sagabox_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Wduplicated-cond -Wlogical-op -Wnull-dereference -Woverloaded-virtual -Werror
  -Wno-null-dereference -Wno-mismatched-new-delete -fno-omit-frame-pointer -fstack-protector-strong)
if(SAGABOX_SANITIZE)
  # Instrumented code makes g++ see uninitialised reads where there are none; the plain build still looks.
  target_compile_options(sagabox_options INTERFACE -fsanitize=${SAGABOX_SANITIZE} -fno-sanitize-recover=all
    -Wno-maybe-uninitialized)
  target_link_options(sagabox_options INTERFACE -fsanitize=${SAGABOX_SANITIZE})
endif()

# sagabox_part(NAME [USES lib...] [PRIVATELY lib...] [TESTS_USE lib...])
#
# Builds sagabox_NAME from the *.cpp of the current folder and, where there are any, NAME_test from
# its *_test.cpp. Files added later are picked up at the next build.
function(sagabox_part name)
  cmake_parse_arguments(part "" "" "USES;PRIVATELY;TESTS_USE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(sources)
    add_library(sagabox_${name} STATIC ${sources})
    target_include_directories(sagabox_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(sagabox_${name} PUBLIC ${part_USES} PRIVATE sagabox_options ${part_PRIVATELY})
  else()
    add_library(sagabox_${name} INTERFACE)
    target_include_directories(sagabox_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(sagabox_${name} INTERFACE ${part_USES})
  endif()
  if(tests AND SAGABOX_TESTS)
    sagabox_test(${name}_test SOURCES ${tests} USES sagabox_${name} ${part_PRIVATELY} ${part_TESTS_USE})
  endif()
endfunction()

# sagabox_test(NAME SOURCES file... [USES lib...] [TIMEOUT seconds] [LABELS label...])
function(sagabox_test name)
  cmake_parse_arguments(test "" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  add_executable(${name} ${test_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE sagabox_options ${test_USES} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SAGABOX_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}")
endfunction()
