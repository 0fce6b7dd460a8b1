# What `cmake --install` puts where, and the Debian package that `cpack -G DEB` makes of it.
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  # Where the unit and the manual page say that things are.
  set(CMAKE_INSTALL_PREFIX /usr CACHE PATH "Where to install" FORCE)
endif()
include(GNUInstallDirs)

set(documents ${CMAKE_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${documents})
# The program itself knows its commands, and prints its manual page and its completions.
add_custom_command(
  OUTPUT ${documents}/sagabox.1.gz
  COMMAND sagabox man > ${documents}/sagabox.1
  COMMAND sagabox completion bash > ${documents}/sagabox.bash
  COMMAND sagabox completion zsh > ${documents}/sagabox.zsh
  COMMAND sagabox completion fish > ${documents}/sagabox.fish
  COMMAND gzip -9nf ${documents}/sagabox.1
  DEPENDS sagabox
  COMMENT "Printing manual page and completions")
add_custom_target(sagabox_documents ALL DEPENDS ${documents}/sagabox.1.gz)

install(TARGETS sagabox RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${documents}/sagabox.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${documents}/sagabox.bash RENAME sagabox
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${documents}/sagabox.zsh RENAME _sagabox DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${documents}/sagabox.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.yml" PATTERN "*.png")
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/sagabox.service DESTINATION lib/systemd/system)
install(FILES packaging/sagabox.conf DESTINATION ${CMAKE_INSTALL_FULL_SYSCONFDIR}/sagabox)

set(CPACK_PACKAGE_NAME sagabox)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The founders of Sagabox <founders@sagabox.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "transactional outbox, result table and saga compensation for PostgreSQL")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "What your database committed, the outside world gets; and what can't be\n finished is undone, step by step, in reverse.")
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS postgresql)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_STRIP_FILES ON)
# For the configuration in /etc, which is below no prefix.
set(CPACK_SET_DESTDIR ON)
foreach(script postinst prerm postrm conffiles)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/${script})
endforeach()
include(CPack)
