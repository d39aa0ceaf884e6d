# How everything is compiled: language, warnings, the numeric rules, sanitizers, threads.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or Sanitize" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Line tables for back traces, no more: full debug information costs a third of the build.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
# What takes least of compiling and running together: of threads there are few tests, and -Og takes
# g++ half of the time that -O1 does.
if(SINTER_SANITIZE STREQUAL "thread")
    set(CMAKE_CXX_FLAGS_SANITIZE "-O0 -g1")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1")
else()
    set(CMAKE_CXX_FLAGS_SANITIZE "-Og -g1")
endif()

# The library, its plugin and the programs lie side by side, as the plugin is looked for beside the
# code that opens it.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

find_program(SINTER_CCACHE ccache)
if(SINTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${SINTER_CCACHE})
endif()

# What nearly every file of a target includes is parsed once. Where ccache works it is better left to
# it: it shares objects between source folders, which a precompiled header ties to one.
set(precompile ON)
if(SINTER_CCACHE AND NOT DEFINED ENV{CCACHE_DISABLE})
    set(precompile OFF)
endif()
option(SINTER_PRECOMPILE "Precompile the headers that nearly all files include" ${precompile})
if(NOT SINTER_PRECOMPILE)
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# sinter_compile_together(target count): the files of each folder, so many in one compilation, where
# headers are precompiled, for the same reason: half of a compilation is what all files include.
# Folders of kernels go one by one, as most of theirs is code. Names in unnamed namespaces must differ
# between the files of a folder.
function(sinter_compile_together target count)
    if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
        return()
    endif()
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
        cmake_path(GET source PARENT_PATH place)
        cmake_path(RELATIVE_PATH place BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
        get_source_file_property(definitions ${source} TARGET_DIRECTORY ${target} COMPILE_DEFINITIONS)
        if(NOT place MATCHES "^(jit/cache|engine|ops|tests)" OR definitions)
            continue()
        endif()
        string(MAKE_C_IDENTIFIER ${place} name)
        list(APPEND folders ${name})
        list(APPEND sources_of_${name} ${source})
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(name IN LISTS folders)
        set(number 0)
        foreach(source IN LISTS sources_of_${name})
            math(EXPR group "${number} / ${count}")
            math(EXPR number "${number} + 1")
            set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES
                UNITY_GROUP ${name}_${group})
        endforeach()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

add_library(sinter_build INTERFACE)
target_include_directories(sinter_build INTERFACE
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated)
target_compile_options(sinter_build INTERFACE
    -Wall -Wextra $<$<BOOL:${SINTER_WERROR}>:-Werror>
    # Bits may depend on nothing but the source: no contraction, no reassociation. The other two
    # only drop side effects (errno, exception flags) that nothing here reads.
    -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The library's exported functions are its own to call and to inline; clang takes that for granted.
    target_compile_options(sinter_build INTERFACE -fno-semantic-interposition)
endif()
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A precompiled header forgets the pragmas of array_ref.hpp and of the standard library's
    # char_traits.h, which silence these; the latter speak up with -O2.
    target_compile_options(sinter_build INTERFACE -Wno-init-list-lifetime
        $<$<CONFIG:Release>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # libstdc++'s stable_sort uses what it deprecates; clang says so where it is called from.
    target_compile_options(sinter_build INTERFACE -Wno-deprecated-declarations)
endif()
if(SINTER_FAULTS)
    target_compile_definitions(sinter_build INTERFACE SINTER_FAULTS=1)
endif()

if(SINTER_SANITIZE)
    target_compile_options(sinter_build INTERFACE
        -fsanitize=${SINTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
        # Instrumented code confuses g++'s flow analysis behind these.
        $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow>
        # Compiled kernels have no types in front of their code.
        $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
    target_link_options(sinter_build INTERFACE -fsanitize=${SINTER_SANITIZE})
    foreach(sanitizer IN ITEMS address thread)
        if(SINTER_SANITIZE MATCHES ${sanitizer})
            string(TOUPPER SINTER_SANITIZE_${sanitizer} definition)
            target_compile_definitions(sinter_build INTERFACE ${definition}=1)
        endif()
    endforeach()
else()
    target_link_options(sinter_build INTERFACE LINKER:-z,defs)
endif()
set(SINTER_TEST_ENVIRONMENT
    # Of a thread-local block 16 bytes behind a page the runtime reads the size from what lies before
    # it, and then crashes looking for leaks there.
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_init_order=1:intercept_tls_get_addr=0"
    "UBSAN_OPTIONS=print_stacktrace=1"
    # A forked child leaves the threads of its parent behind, which is no leak.
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:report_thread_leaks=0")
if(CMAKE_CROSSCOMPILING_EMULATOR)  # a test that starts itself again needs it
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    list(APPEND SINTER_TEST_ENVIRONMENT "SINTER_TEST_EMULATOR=${emulator}")
endif()
if(SINTER_SANITIZE)
    # Recycled memory would hide what reads or writes it too late.
    list(APPEND SINTER_TEST_ENVIRONMENT "SINTER_POOL=off")
endif()

find_package(Threads REQUIRED)
add_library(sinter_threads INTERFACE)
target_link_libraries(sinter_threads INTERFACE Threads::Threads)
if(SINTER_OPENMP)
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    target_link_libraries(sinter_threads INTERFACE OpenMP::OpenMP_CXX)
endif()

find_path(SINTER_BOOST_INCLUDE boost/hana.hpp)
if(NOT SINTER_BOOST_INCLUDE)
    message(FATAL_ERROR "Boost.Hana not found; install libboost1.81-dev")
endif()

# Opened at run time, so only its header is needed here.
find_path(SINTER_ZIP_INCLUDE zip.h)
if(NOT SINTER_ZIP_INCLUDE)
    message(FATAL_ERROR "zip.h not found; install libzip-dev")
endif()
# Of the library alone: its users need no JSON.
find_path(SINTER_JSON_INCLUDE nlohmann/json.hpp)
if(NOT SINTER_JSON_INCLUDE)
    message(FATAL_ERROR "nlohmann/json.hpp not found; install nlohmann-json3-dev")
endif()
