# Debian packages: `cpack --config build/release/CPackConfig.cmake`. One for each component that
# sinter_install.cmake installs. What is opened at run time is recommended, not required: nothing of
# it is needed until a program calls for it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "Sinter")
set(CPACK_PACKAGE_CONTACT "The Sinter developers <developers@sinter.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/strip_packages.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL library compiler development tools)
if(NOT TARGET sinter_llvm)
    list(REMOVE_ITEM CPACK_COMPONENTS_ALL compiler)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # by dpkg-shlibdeps, of the package dpkg-dev
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/bin)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The name of a library's package is its SONAME's, so that two versions can be installed.
set(sinter_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(sinter_same_version "libsinter${sinter_soversion} (= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsinter${sinter_soversion})
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "Tensors with PyTorch's semantics, fused and compiled at run time\nThe library that programs load.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS
    "sinter-llvm (= ${PROJECT_VERSION}), libopenblas0-openmp | libopenblas0, libzip4")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libfftw3-double3, libfftw3-single3")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/generated/triggers")
file(WRITE ${PROJECT_BINARY_DIR}/generated/triggers "activate-noawait ldconfig\n")

# The plugin belongs to exactly one build of the library.
set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME sinter-llvm)
set(CPACK_COMPONENT_COMPILER_DESCRIPTION
    "Compiler of kernels for Sinter\nWithout it kernels come from packs, or run block by block.")
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "${sinter_same_version}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsinter-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Tensors with PyTorch's semantics: headers and documentation\nFor programs in C++20, with CMake's find_package(sinter) or pkg-config.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${sinter_same_version}, sinter-tools (= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME sinter-tools)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
    "The program sinter\nIt says what the library finds, and builds, looks at and checks packs of kernels.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${sinter_same_version}")

include(CPack)
