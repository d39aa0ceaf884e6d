#!/usr/bin/env bash
# Makes the Debian packages of a build and unpacks them into a folder, from which a program is built
# and run. Nothing is installed.
#   run.sh BUILD_FOLDER SOURCE_FOLDER COMPILER VERSION
set -euo pipefail
build=$1 source=$2 compiler=$3 version=$4
export LC_ALL=C

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() {
    echo "packages test: $*" >&2
    exit 1
}
if ! command -v dpkg-shlibdeps >/dev/null || ! command -v file >/dev/null; then
    echo "[SKIP] no dpkg-shlibdeps, or no file: Debian packages were not made"
    exit 0
fi

cpack --config "$build/CPackConfig.cmake" -B "$folder/made" >"$folder/log" 2>&1 || {
    cat "$folder/log"
    die "cpack failed"
}
architecture=$(dpkg --print-architecture)
so=${version%.*}
names=("libsinter$so" sinter-llvm libsinter-dev sinter-tools)
for name in "${names[@]}"; do
    deb=$folder/made/${name}_${version}_$architecture.deb
    [ -f "$deb" ] || die "no package $name: $(ls "$folder/made")"
    dpkg-deb -c "$deb" | awk '$1 !~ /^d/ { print $6 }' | sort >"$folder/$name.files"
    dpkg-deb -x "$deb" "$folder/root"
done

# No file belongs to two packages, and each is where its users look.
twice=$(cat "$folder"/*.files | sort | uniq -d)
[ -z "$twice" ] || die "several packages hold $twice"
holds() {
    grep -qx "\./$2" "$folder/$1.files" || die "$1 lacks $2: $(cat "$folder/$1.files")"
}
holds "libsinter$so" "usr/lib/libsinter.so.$so"
holds sinter-llvm usr/lib/sinter_llvm.so
holds sinter-tools usr/bin/sinter
holds libsinter-dev usr/include/sinter/sinter.hpp
holds libsinter-dev usr/lib/libsinter.so
holds libsinter-dev usr/lib/pkgconfig/sinter.pc
holds libsinter-dev usr/lib/cmake/sinter/sinterConfig.cmake
holds libsinter-dev usr/share/doc/sinter/README.md
[ "$(wc -l <"$folder/libsinter$so.files")" = 2 ] ||
    die "libsinter$so holds more than the library: $(cat "$folder/libsinter$so.files")"

# What the packages need is said.
needs() {
    dpkg-deb -f "$folder/made/${1}_${version}_$architecture.deb" "$2" | grep -qF "$3" ||
        die "$1 does not name $3 in $2: $(dpkg-deb -f "$folder/made/${1}_${version}_$architecture.deb" "$2")"
}
needs "libsinter$so" Depends libstdc++6
needs "libsinter$so" Recommends "sinter-llvm (= $version)"
needs "libsinter$so" Recommends libopenblas0
needs sinter-llvm Depends "libsinter$so (= $version)"
needs sinter-tools Depends "libsinter$so (= $version)"
needs libsinter-dev Depends "libsinter$so (= $version)"
needs libsinter-dev Depends "sinter-tools (= $version)"
if ldd "$folder/root/usr/lib/sinter_llvm.so" | grep -q libLLVM; then
    needs sinter-llvm Depends libllvm
fi
for name in "${names[@]}"; do
    if dpkg-deb -f "$folder/made/${name}_${version}_$architecture.deb" Depends | grep -E 'blas|zip|cuda|hip'; then
        die "$name needs what is opened at run time only"
    fi
done

# A program, by both ways, with these files alone.
export LD_LIBRARY_PATH=$folder/root/usr/lib SINTER_CACHE_DIR=$folder/cache
"$folder/root/usr/bin/sinter" info >"$folder/info" || die "sinter info failed: $(cat "$folder/info")"
grep -q "$version" "$folder/info" || die "sinter info does not say $version: $(cat "$folder/info")"
cd "$source/tests/install/app"
flags=$(PKG_CONFIG_LIBDIR=$folder/root/usr/lib/pkgconfig pkg-config --cflags --libs sinter-torch-compat)
read -ra flags <<<"$flags"
"$compiler" -std=c++20 app.cpp ported.cpp "${flags[@]}" -o "$folder/app"
output=$("$folder/app")
[ "$output" = "sum 66" ] || die "app printed '$output', expected 'sum 66'"
cmake -G Ninja -S . -B "$folder/by_cmake" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$folder/root/usr" >"$folder/log" && cmake --build "$folder/by_cmake" >>"$folder/log" || {
    cat "$folder/log"
    die "find_package(sinter) does not work from the packages"
}
output=$("$folder/by_cmake/app")
[ "$output" = "sum 66" ] || die "app by CMake printed '$output', expected 'sum 66'"
echo "packages: ${names[*]}"
