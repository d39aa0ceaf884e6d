# `cmake --install`: headers, library, plugin beside it, program, documentation, and what
# find_package(sinter) and pkg-config read. The components are packages: sinter_packages.cmake.
include(CMakePackageConfigHelpers)
set(sinter_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sinter DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def" PATTERN "*.inc")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/torch_compat/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sinter_torch_compat COMPONENT development
    FILES_MATCHING PATTERN "*.h")
install(TARGETS sinter sinter_torch_compat EXPORT sinter_targets
    LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS sinter_cli EXPORT sinter_targets RUNTIME COMPONENT tools)
set(sinter_plugins sinter_llvm sinter_llvm_cross)
set(sinter_plugin_components compiler tools)
foreach(plugin component IN ZIP_LISTS sinter_plugins sinter_plugin_components)
    if(TARGET ${plugin})
        install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
    endif()
endforeach()
if(SINTER_STATIC)  # a component that no package has: programs that want it build it
    install(FILES $<TARGET_FILE:sinter_static> DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RENAME libsinter.a COMPONENT static)
endif()
install(EXPORT sinter_targets FILE sinterTargets.cmake NAMESPACE sinter::
    DESTINATION ${sinter_package_folder} COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinterConfig.cmake.in
    ${PROJECT_BINARY_DIR}/generated/sinterConfig.cmake INSTALL_DESTINATION ${sinter_package_folder}
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/sinterConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/sinterConfig.cmake
    ${PROJECT_BINARY_DIR}/generated/sinterConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/sinterKernelPack.cmake
    ${PROJECT_SOURCE_DIR}/cmake/embedded_pack.cpp.in DESTINATION ${sinter_package_folder}
    COMPONENT development)

cmake_path(SET sinter_pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH sinter_pc_up /prefix/${sinter_pc_folder} /prefix)
string(REGEX REPLACE "/$" "" sinter_pc_up "${sinter_pc_up}")
set(sinter_private_libraries "-pthread")  # of a program that holds the static library
if(SINTER_OPENMP)
    string(APPEND sinter_private_libraries " -fopenmp")
endif()
foreach(name IN ITEMS sinter sinter-torch-compat)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in
        ${PROJECT_BINARY_DIR}/generated/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/generated/${name}.pc DESTINATION ${sinter_pc_folder}
        COMPONENT development)
endforeach()

# What debuggers print, and a file beside the library by which gdb finds it. Both may be moved together.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/debug/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinter
    COMPONENT development FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
file(RELATIVE_PATH sinter_scripts_from_library
    /prefix/${CMAKE_INSTALL_LIBDIR} /prefix/${CMAKE_INSTALL_DATADIR}/sinter)
configure_file(${PROJECT_SOURCE_DIR}/cmake/libsinter-gdb.py.in
    ${PROJECT_BINARY_DIR}/generated/libsinter-gdb.py @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/libsinter-gdb.py DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT development RENAME $<TARGET_FILE_NAME:sinter>-gdb.py)

# As they lie here, so that what they say of each other holds.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT development FILES_MATCHING PATTERN "*.md")
