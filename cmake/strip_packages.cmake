# Run by CPack over the files of the packages: takes the line numbers out of the libraries, which are
# half of their size. Symbols stay, because debuggers print tensors by one of them.
file(GLOB_RECURSE libraries "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.so*")
find_program(strip strip REQUIRED)
foreach(library IN LISTS libraries)
    if(library MATCHES "[.]so[.0-9]*$" AND NOT IS_SYMLINK "${library}")
        execute_process(COMMAND ${strip} --strip-debug ${library} COMMAND_ERROR_IS_FATAL ANY)
    endif()
endforeach()
