# sinter_build_identity.hpp: a hash of all that decides which code a kernel becomes, so that a cached
# kernel of another build is a miss. Redone when one of these files changes.
set(SINTER_LLVM_VERSION none)
if(SINTER_LLVM)
    include(sinter_find_llvm)
endif()

file(GLOB_RECURSE identity_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    jit/kernel_ir/*.[ch]pp jit/codegen/*.[ch]pp jit/codegen/*.cuh jit/codegen/*.inc
    include/sinter/dtype.hpp include/sinter/core/dtype.def runtime/types/dtypes.hpp
    include/sinter/math/*.hpp include/sinter/math/*.def include/sinter/op/*.hpp include/sinter/op/*.def)
list(TRANSFORM identity_files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE identity_depends)

set(identity_header ${PROJECT_BINARY_DIR}/generated/sinter_build_identity.hpp)
add_custom_command(
    OUTPUT ${identity_header}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${identity_files}" -DOUTPUT=${identity_header}
            -DLLVM_VERSION=${SINTER_LLVM_VERSION} -DVERSION=${PROJECT_VERSION}
            -P ${PROJECT_SOURCE_DIR}/cmake/write_identity.cmake
    DEPENDS ${identity_depends} ${PROJECT_SOURCE_DIR}/cmake/write_identity.cmake
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Hashing the code generator's sources"
    VERBATIM)
add_custom_target(sinter_identity DEPENDS ${identity_header})
