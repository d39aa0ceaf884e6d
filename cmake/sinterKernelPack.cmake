# Kernels that are compiled with a program, from recordings of what it computes.
#
#   sinter_add_kernel_pack(TARGET RECORDINGS FILE... [TARGETS NAME...] [WIDEN] [EMBED]
#                          [RECORD COMMAND... [REQUIRE_COVERAGE PERCENT]])
#       Builds TARGET.spk in the current binary folder from recordings (`sinter cache record`), for the
#       instruction sets and GPUs TARGETS (x86-64-v3 x86-64-v4), with WIDEN also kernels for sizes and
#       layouts that are not recorded. EMBED puts it into the program. RECORD makes a
#       target TARGET_record, which runs a command and adds what it computes to the first recording.
#       REQUIRE_COVERAGE makes two tests: the same command is recorded anew, and the pack must have
#       what so many percent of it need.
#   sinter_embed_kernel_pack(TARGET PACK)
#       Puts a pack into a program or a library. Its kernels are found before all others, with no file
#       and no compiler, and run where the program is mapped.
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

function(sinter_add_kernel_pack target)
    cmake_parse_arguments(PARSE_ARGV 1 pack "EMBED;WIDEN" "REQUIRE_COVERAGE" "RECORDINGS;TARGETS;RECORD")
    if(NOT pack_RECORDINGS OR pack_UNPARSED_ARGUMENTS OR (pack_REQUIRE_COVERAGE AND NOT pack_RECORD))
        message(FATAL_ERROR "sinter_add_kernel_pack(${target}): got ${ARGN}, expected RECORDINGS FILE... "
            "[TARGETS NAME...] [WIDEN] [EMBED] [RECORD COMMAND... [REQUIRE_COVERAGE PERCENT]]")
    endif()
    if(NOT pack_TARGETS)
        set(pack_TARGETS x86-64-v3 x86-64-v4)
    endif()
    foreach(file IN LISTS pack_RECORDINGS)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        list(APPEND recordings ${file})
    endforeach()
    list(JOIN pack_TARGETS "," targets)
    set(widen "")
    if(pack_WIDEN)
        set(widen --widen)
    endif()
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.spk)
    add_custom_command(OUTPUT ${output}
        COMMAND sinter::cli cache build ${recordings} -o ${output} --targets ${targets} ${widen}
        DEPENDS ${recordings} sinter::cli
        COMMENT "Compiling the kernels of ${target}"
        VERBATIM)
    if(pack_EMBED)
        sinter_embed_kernel_pack(${target} ${output})
    else()
        add_custom_target(${target}_pack ALL DEPENDS ${output})
    endif()
    if(pack_RECORD)
        list(GET recordings 0 first)
        list(POP_FRONT pack_RECORD program)
        if(TARGET ${program})
            set(program $<TARGET_FILE:${program}>)
        endif()
        add_custom_target(${target}_record
            COMMAND sinter::cli cache record -o ${first} -- ${program} ${pack_RECORD}
            DEPENDS ${target}
            COMMENT "Recording what ${target} computes"
            VERBATIM)
    endif()
    if(pack_REQUIRE_COVERAGE)
        set(anew ${CMAKE_CURRENT_BINARY_DIR}/${target}_anew.srec)
        add_test(NAME ${target}_record
            COMMAND sinter::cli cache record -o ${anew} -- ${program} ${pack_RECORD})
        add_test(NAME ${target}_coverage
            COMMAND sinter::cli cache coverage ${output} ${anew} --targets ${targets}
                --require ${pack_REQUIRE_COVERAGE})
        set_tests_properties(${target}_record PROPERTIES FIXTURES_SETUP ${target}_recorded)
        set_tests_properties(${target}_coverage PROPERTIES FIXTURES_REQUIRED ${target}_recorded)
    endif()
endfunction()
