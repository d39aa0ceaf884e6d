# An overlay port: it builds the tree that it lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(static OFF)
if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
    set(static ON)
endif()
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES llvm SINTER_LLVM)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS ${features} -DSINTER_STATIC=${static} -DSINTER_LLVM_CROSS=OFF -DSINTER_TESTS=OFF
        -DSINTER_EXAMPLES=OFF -DSINTER_WERROR=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/sinter)
vcpkg_copy_tools(TOOL_NAMES sinter AUTO_CLEAN)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
