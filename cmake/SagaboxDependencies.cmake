# Every library and why it is here: docs/dependencies.md.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(tl-expected REQUIRED)
find_package(prometheus-cpp REQUIRED)
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(IDN2 REQUIRED IMPORTED_TARGET libidn2)
pkg_check_modules(MHD REQUIRED IMPORTED_TARGET libmicrohttpd)
pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
if(SAGABOX_TESTS)
  find_package(GTest REQUIRED)
endif()

add_library(sagabox_asio INTERFACE)
target_compile_definitions(sagabox_asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED
  ASIO_HAS_STD_ALIGNED_ALLOC=1)
target_link_libraries(sagabox_asio INTERFACE Threads::Threads)
if(SAGABOX_SANITIZE MATCHES thread)
  # The thread sanitizer cannot see fences; asio's queues are ordered by its mutexes all the same.
  target_compile_definitions(sagabox_asio INTERFACE ASIO_DISABLE_FENCED_BLOCK)
endif()

# cpp-hocon ships no CMake package; its headers bring leatherman's and Boost's, all found in the
# system's include folder.
find_package(Boost REQUIRED COMPONENTS regex)
find_library(HOCON_LIBRARY NAMES cpp-hocon REQUIRED)
find_library(LEATHERMAN_LOCALE_LIBRARY NAMES leatherman_locale REQUIRED)
add_library(sagabox_hocon INTERFACE)
target_include_directories(sagabox_hocon SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_link_libraries(sagabox_hocon INTERFACE ${HOCON_LIBRARY} ${LEATHERMAN_LOCALE_LIBRARY} Boost::regex)
