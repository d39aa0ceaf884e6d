# sinter_llvm_api: LLVM 19's headers and its shared library. By llvm-config and not by LLVM's CMake
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
ask_llvm(llvm_names --link-shared --libs)
string(REPLACE "-l" "" llvm_names "${llvm_names}")
separate_arguments(llvm_names)

add_library(sinter_llvm_api INTERFACE)
target_include_directories(sinter_llvm_api SYSTEM INTERFACE ${llvm_includes})
foreach(name IN LISTS llvm_names)
    find_library(SINTER_LLVM_LIBRARY_${name} ${name} PATHS ${llvm_libraries} REQUIRED)
    target_link_libraries(sinter_llvm_api INTERFACE ${SINTER_LLVM_LIBRARY_${name}})
endforeach()
