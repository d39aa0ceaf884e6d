// The program `sinter`.
#include <sinter/info.hpp>

#include <cstdio>
#include <cstring>
#include <exception>

int main(int argc, char** argv) {
    if (argc != 2 || std::strcmp(argv[1], "info") != 0) {
        std::fputs("usage: sinter info    what this build and this machine offer\n", stderr);
        return 2;
    }
    try {
        std::fputs(sinter::info().c_str(), stdout);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "sinter: %s\n", e.what());
        return 1;
    }
}
