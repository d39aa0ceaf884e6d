# LLVM 19's headers and its libraries. By llvm-config and not by LLVM's CMake
# package, which insists on the development files of everything LLVM itself was linked with.
find_program(SINTER_LLVM_CONFIG NAMES llvm-config-19 llvm-config)
if(NOT SINTER_LLVM_CONFIG)
    message(FATAL_ERROR "llvm-config-19 not found; install llvm-19-dev or set SINTER_LLVM=OFF")
endif()
function(ask_llvm result)
    execute_process(COMMAND ${SINTER_LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE answer
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(${result} "${answer}" PARENT_SCOPE)
endfunction()

ask_llvm(SINTER_LLVM_VERSION --version)
if(NOT SINTER_LLVM_VERSION MATCHES "^19\\.")
    message(FATAL_ERROR "LLVM 19 wanted, ${SINTER_LLVM_CONFIG} is ${SINTER_LLVM_VERSION}; "
        "install llvm-19-dev or set SINTER_LLVM_CONFIG")
endif()
ask_llvm(llvm_includes --includedir)
ask_llvm(llvm_libraries --libdir)
# From its archives, where they are installed: what the linker leaves of them is opened in half the
# time of the shared library, which holds every target and pass.
option(SINTER_LLVM_STATIC "Link the plugin with LLVM's archives where they are found" ON)

# Sets RESULT to the files that the names are found as in LLVM's folder, or to nothing.
function(find_llvm_libraries result names)
    string(REPLACE "-l" "" names "${names}")
    separate_arguments(names)
    set(files)
    foreach(name IN LISTS names)
        find_library(SINTER_LLVM_LIBRARY_${name} ${name} PATHS ${llvm_libraries})
        if(NOT SINTER_LLVM_LIBRARY_${name})
            set(${result} "" PARENT_SCOPE)
            return()
        endif()
        list(APPEND files ${SINTER_LLVM_LIBRARY_${name}})
    endforeach()
    set(${result} "${files}" PARENT_SCOPE)
endfunction()

# What the archives need. Packages of their development files need not be there.
find_library(SINTER_LLVM_ZLIB NAMES z libz.so.1)
find_library(SINTER_LLVM_ZSTD NAMES zstd libzstd.so.1)

add_library(sinter_llvm_headers INTERFACE)
target_include_directories(sinter_llvm_headers SYSTEM INTERFACE ${llvm_includes})

# sinter_llvm_x86, sinter_llvm_aarch64: LLVM with the code generator of a processor.
foreach(processor IN ITEMS x86 aarch64)
    set(api sinter_llvm_${processor})
    add_library(${api} INTERFACE)
    target_link_libraries(${api} INTERFACE sinter_llvm_headers)
    set(llvm_files)
    if(SINTER_LLVM_STATIC AND SINTER_LLVM_ZLIB AND SINTER_LLVM_ZSTD)
        execute_process(COMMAND ${SINTER_LLVM_CONFIG} --link-static --libs ${processor}codegen passes
            OUTPUT_VARIABLE llvm_names OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
        if(NOT failed)
            find_llvm_libraries(llvm_files "${llvm_names}")
        endif()
    endif()
    if(llvm_files)
        target_link_libraries(${api} INTERFACE ${llvm_files} ${SINTER_LLVM_ZLIB}
            ${SINTER_LLVM_ZSTD} ${CMAKE_DL_LIBS})
        target_link_options(${api} INTERFACE LINKER:--gc-sections LINKER:-Bsymbolic)
    else()
        ask_llvm(llvm_names --link-shared --libs)
        find_llvm_libraries(llvm_files "${llvm_names}")
        if(NOT llvm_files)
            message(FATAL_ERROR "LLVM's libraries ${llvm_names} are not in ${llvm_libraries}")
        endif()
        target_link_libraries(${api} INTERFACE ${llvm_files})
    endif()
endforeach()
