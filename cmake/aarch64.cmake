# For AArch64 by Debian's cross compiler, on another processor. Tests run under qemu, over a folder with
# Debian's own libraries of arm64 (`./dev test aarch64` makes it): those of the cross compiler are of
# another build, and a process with the loader of one and the C library of the other ends in its lists.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-root)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # notes on what older compilers passed to functions
