# sinter_embed_kernel_pack(target pack.spk): puts a pack of kernels, which `sinter cache merge` made,
# into a program or a library. Its kernels are found before all others, with no file and no compiler,
# and run where the program is mapped.
set(sinter_embedded_pack_template ${CMAKE_CURRENT_LIST_DIR}/embedded_pack.cpp.in)

function(sinter_embed_kernel_pack target pack)
    cmake_path(ABSOLUTE_PATH pack BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(SHA256 digest ${pack})
    string(SUBSTRING ${digest} 0 16 digest)
    set(SINTER_PACK ${pack})
    set(SINTER_PACK_SYMBOL sinter_pack_${digest})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${SINTER_PACK_SYMBOL}.cpp)
    configure_file(${sinter_embedded_pack_template} ${source} @ONLY)
    set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${pack}
        SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${source})
endfunction()
