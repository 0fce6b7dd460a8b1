# Embeds sql/migrations and sql/queries: sagabox_sql gives "sql.hpp" with one constant per file.
set(sql_generated ${CMAKE_BINARY_DIR}/generated/sql)
file(GLOB sql_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sql/queries/*.sql
     ${CMAKE_SOURCE_DIR}/sql/migrations/*.sql)
add_custom_command(
  OUTPUT ${sql_generated}/sql.hpp ${sql_generated}/sql.cpp
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR}/sql -DOUTPUT=${sql_generated}
          -P ${CMAKE_SOURCE_DIR}/cmake/EmbedSql.cmake
  DEPENDS ${sql_files} ${CMAKE_SOURCE_DIR}/cmake/EmbedSql.cmake
  COMMENT "Embedding SQL")
add_library(sagabox_sql STATIC ${sql_generated}/sql.cpp ${sql_generated}/sql.hpp)
target_include_directories(sagabox_sql PUBLIC ${sql_generated} ${CMAKE_SOURCE_DIR}/src)
