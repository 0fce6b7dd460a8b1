# One library per part, so that a change rebuilds what it touches and an include that goes up the
# layers fails to link as well as to pass scripts/check-layers.

add_library(sagabox_options INTERFACE)
target_compile_options(sagabox_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Wduplicated-cond -Wlogical-op -Wnull-dereference -Woverloaded-virtual -Werror
  -Wno-null-dereference -Wno-mismatched-new-delete -fno-omit-frame-pointer -fstack-protector-strong -pthread)
if(SAGABOX_SANITIZE)
  # Instrumented code makes g++ see uninitialised reads where there are none; the plain build still looks.
  target_compile_options(sagabox_options INTERFACE -fsanitize=${SAGABOX_SANITIZE} -fno-sanitize-recover=all
    -Wno-maybe-uninitialized)
  # clang can't emit its check of function pointers for coroutines.
  target_compile_options(sagabox_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  target_link_options(sagabox_options INTERFACE -fsanitize=${SAGABOX_SANITIZE})
endif()

# A fifth of a compilation goes into the standard headers that nearly every source reads. Sanitizer builds read them
# each time, so that an include that is missing somewhere shows there.
if(NOT SAGABOX_SANITIZE)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/part_headers.cpp "")
  add_library(sagabox_part_headers OBJECT ${CMAKE_BINARY_DIR}/generated/part_headers.cpp)
  target_link_libraries(sagabox_part_headers PRIVATE sagabox_options)
  target_precompile_headers(sagabox_part_headers PRIVATE
    <algorithm> <array> <chrono> <functional> <map> <memory> <mutex> <optional> <span> <sstream> <string>
    <string_view> <unordered_map> <utility> <variant> <vector>)
endif()

# sagabox_precompiled(TARGET): has its sources start from those headers.
function(sagabox_precompiled target)
  if(TARGET sagabox_part_headers)
    target_precompile_headers(${target} REUSE_FROM sagabox_part_headers)
    # With them g++ 12 sees overflows within std::string where there are none (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow
      -Wno-stringop-overread)
  endif()
endfunction()

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
    sagabox_precompiled(sagabox_${name})
  else()
    add_library(sagabox_${name} INTERFACE)
    target_include_directories(sagabox_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(sagabox_${name} INTERFACE ${part_USES})
  endif()
  if(tests AND SAGABOX_TESTS)
    sagabox_test(${name}_test SOURCES ${tests} USES sagabox_${name} ${part_PRIVATELY} ${part_TESTS_USE})
  endif()
endfunction()

# Half of a test's compile time goes into these, and most of the rest into optimising what runs once.
if(SAGABOX_TESTS)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/test_headers.cpp "")
  add_library(sagabox_test_headers OBJECT ${CMAKE_BINARY_DIR}/generated/test_headers.cpp)
  target_link_libraries(sagabox_test_headers PRIVATE sagabox_options GTest::gmock nlohmann_json::nlohmann_json)
  target_compile_options(sagabox_test_headers PRIVATE -O0)
  target_precompile_headers(sagabox_test_headers PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp> <chrono> <filesystem> <fstream> <optional> <set> <thread>)
endif()

# sagabox_built_for_tests(TARGET): a program or library of the tests' own, which waits more than it computes.
function(sagabox_built_for_tests target)
  target_link_libraries(${target} PRIVATE sagabox_options GTest::gmock)
  target_compile_options(${target} PRIVATE -O0)
  target_precompile_headers(${target} REUSE_FROM sagabox_test_headers)
endfunction()

# sagabox_test(NAME SOURCES file... [USES lib...] [TIMEOUT seconds] [LABELS label...] [OPTIMISED])
#
# OPTIMISED is for a test that computes much itself, and does not wait for what it tests.
function(sagabox_test name)
  cmake_parse_arguments(test "OPTIMISED" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  add_executable(${name} ${test_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${test_USES} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SAGABOX_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(test_OPTIMISED)
    target_link_libraries(${name} PRIVATE sagabox_options)
    sagabox_precompiled(${name})
  else()
    sagabox_built_for_tests(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}")
endfunction()
