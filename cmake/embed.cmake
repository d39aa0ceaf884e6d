# Script: writes the text of INPUT, a path below SOURCE, as the string sinter::embedded::NAME into
# OUTPUT, and the files that it came from into OUTPUT.d. Run-time compilers have no files to include:
# another .cuh stands in place of its first #include, every other #include is dropped.
cmake_minimum_required(VERSION 3.25)

set(read "")
function(expand path result)
    if("${path}" IN_LIST read)
        set(${result} "" PARENT_SCOPE)
        return()
    endif()
    list(APPEND read ${path})
    file(READ ${SOURCE}/${path} rest)
    string(REPLACE "#pragma once\n" "" rest "${rest}")
    set(text "")
    while(rest MATCHES "#include [\"<]([^\">\n]+)[\">]\n")
        set(line "${CMAKE_MATCH_0}")
        set(included "${CMAKE_MATCH_1}")
        string(FIND "${rest}" "${line}" begin)
        string(LENGTH "${line}" length)
        math(EXPR end "${begin} + ${length}")
        string(SUBSTRING "${rest}" 0 ${begin} before)
        string(SUBSTRING "${rest}" ${end} -1 rest)
        set(inner "")
        if(included MATCHES "[.]cuh$")
            expand(${included} inner)
        endif()
        string(APPEND text "${before}" "${inner}")
    endwhile()
    string(APPEND text "${rest}")
    set(read "${read}" PARENT_SCOPE)
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

expand(${INPUT} text)
file(WRITE ${OUTPUT} "// Generated from ${INPUT} by cmake/embed.cmake.
namespace sinter::embedded {
extern const char ${NAME}[];
const char ${NAME}[] = R\"cuh(${text})cuh\";
}  // namespace sinter::embedded
")
list(TRANSFORM read PREPEND ${SOURCE}/)
list(JOIN read " " from)
file(WRITE ${OUTPUT}.d "${OUTPUT}: ${from}\n")
