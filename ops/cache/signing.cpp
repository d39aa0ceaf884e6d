// The commands keys and sign.
#include "jit/cache/signature.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/files.hpp"
#include "runtime/base/fail.hpp"

#include <filesystem>

namespace sinter::cache_command {
answer keys(const arguments& a) {
    const std::string secret = a.output + ".key", known = a.output + ".pub";
    std::error_code error;
    for (const std::string& path : {secret, known})
        if (std::filesystem::exists(path, error))
            runtime::fail("cache", "a key is not overwritten", path, "a new name", "another -o");
    const code_cache::key_pair pair = code_cache::make_keys();
    write_file(secret, bytes_of(code_cache::to_text(pair.secret)), true);
    write_file(known, bytes_of(code_cache::to_text(pair.known)));
    answer done;
    done.records.push_back({{"secret", secret}, {"public", known}});
    done.closing = "Keep the secret key to yourself. Machines that have the public key in " +
                   std::string(code_cache::keys_folder) + " run the packs that you sign.\n";
    return done;
}

answer sign(const arguments& a) {
    const code_cache::bytes key = read_file(a.key);
    const auto secret = code_cache::from_text<64>({key.begin(), key.end()});
    if (!secret)
        runtime::fail("cache", "a file is no secret key", a.key, "128 hexadecimal digits",
                      "a .key file of `sinter cache keys`");
    answer done;
    for (const std::string& path : a.paths) {
        const code_cache::signature s = code_cache::sign(read_file(path), *secret);
        write_file(path + ".sig", bytes_of(code_cache::to_text(s)));
        done.records.push_back({{"pack", path}, {"signature", path + ".sig"}});
    }
    return done;
}

}  // namespace sinter::cache_command
