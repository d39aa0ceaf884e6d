# sinter_embed(target file.cuh...): compiles the text of kernels into a target, as
# `extern const char sinter::embedded::folder_file[]`. Nothing reads the files at run time.
function(sinter_embed target)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
    foreach(file IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
        string(REGEX REPLACE "^.*/([^/]+)/([^/]+)[.]cuh$" "\\1_\\2" name ${path})
        set(output ${PROJECT_BINARY_DIR}/generated/embedded/${name}.cpp)
        add_custom_command(
            OUTPUT ${output}
            COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DINPUT=${path} -DNAME=${name}
                    -DOUTPUT=${output} -P ${script}
            DEPENDS ${file} ${script}
            DEPFILE ${output}.d  # the files that it includes
            COMMENT "Embedding ${path}"
            VERBATIM)
        # Headers that other files need say nothing to a string.
        set_source_files_properties(${output} TARGET_DIRECTORY ${target} PROPERTIES GENERATED ON
            SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
        target_sources(${target} PRIVATE ${output})
        list(APPEND outputs ${output})
    endforeach()
    # The target is of another folder, which does not see these commands.
    add_custom_target(${target}_texts DEPENDS ${outputs})
    add_dependencies(${target} ${target}_texts)
endfunction()
