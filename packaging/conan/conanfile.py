"""Sinter for Conan 2: `conan create packaging/conan`. Options say what is built; see README.md."""

import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt

SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "cmake/*", "docs/*.md", "docs/tutorials/*",
           "include/*", "runtime/*", "jit/*", "kernels/*", "engine/*", "ops/*", "tools/*")


class Sinter(ConanFile):
    name = "sinter"
    description = "Tensors with PyTorch's semantics, fused and compiled at run time"
    topics = ("tensor", "jit", "lazy-evaluation", "hpc")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "llvm": [True, False], "openmp": [True, False]}
    default_options = {"shared": True, "llvm": True, "openmp": True}

    def set_version(self):
        text = (Path(self.recipe_folder) / "../../include/sinter/config.hpp").read_text()
        self.version = ".".join(re.findall(r"define SINTER_VERSION_\w+ (\d+)", text))

    def export_sources(self):
        root = (Path(self.recipe_folder) / "../..").resolve()
        for pattern in SOURCES:
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("sinter runs on Linux")
        check_min_cppstd(self, 20)

    def system_requirements(self):
        packages = ["libboost1.81-dev", "libxxhash-dev", "libstb-dev", "libzip-dev", "nlohmann-json3-dev"]
        if self.options.llvm:
            packages.append("llvm-19-dev")
        Apt(self).install(packages)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "SINTER_LLVM": bool(self.options.llvm),
            "SINTER_LLVM_CROSS": False,
            "SINTER_OPENMP": bool(self.options.openmp),
            "SINTER_STATIC": not self.options.shared,
            "SINTER_TESTS": False,
            "SINTER_EXAMPLES": False,
            "SINTER_WERROR": False,
        })
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The installed package knows its targets; Conan's own generator would know less.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/sinter"]
        self.cpp_info.set_property("pkg_config_name", "none")
        self.runenv_info.append_path("PATH", str(Path(self.package_folder) / "bin"))
