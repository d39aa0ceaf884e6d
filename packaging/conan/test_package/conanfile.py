"""Links a program with the package, and runs it."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class TestOfSinter(ConanFile):
    settings = "os", "compiler", "build_type", "arch"
    test_type = "explicit"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        package = self.dependencies["sinter"]
        toolchain.cache_variables["CMAKE_PREFIX_PATH"] = package.package_folder
        toolchain.cache_variables["APP_STATIC"] = not package.options.shared
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            program = Path(self.build_folder, self.cpp.build.bindir, "app").resolve()
            self.run(str(program), env="conanrun")
