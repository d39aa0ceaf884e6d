// The program `sinter`.
#include <sinter/cache.hpp>
#include <sinter/info.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const std::string command = words.empty() ? "" : words[0];
    try {
        if (command == "cache")
            return sinter::cache::run_command({words.begin() + 1, words.end()}, std::cout,
                                              std::cerr);
        if (command == "info" && words.size() == 1) {
            std::cout << sinter::info();
            return 0;
        }
    } catch (const std::exception& e) {
        std::cerr << "sinter: " << e.what() << "\n";
        return 1;
    }
    std::cerr << "usage: sinter info     what this build and this machine offer\n"
                 "       sinter cache    compiled kernels that are stored: sinter cache help\n";
    return 2;
}
