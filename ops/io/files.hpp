// Files of tensors: one that is read from its start, and one that takes another's place once it is
// complete.
#pragma once

#include "ops/io/npy_format.hpp"

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace sinter::ops {

/// Returns the tensors, each contiguous and in main memory. They are computed in one flush, since
/// they may share subgraphs. Throws Error if one is undefined. `op`: for errors.
std::vector<Tensor> rows_to_save(const char* op, const std::vector<Tensor>& tensors);
/// The same of all tensors of a map, in its order.
std::vector<Tensor> rows_to_save(const char* op, const std::map<std::string, Tensor>& tensors);

class file_input : public npy_input {
public:
    /// Throws Error in the name of `op` if the file cannot be read.
    file_input(const char* op, const std::string& path);
    bool read(char* to, std::size_t n) override;
    std::size_t left() override { return left_; }
    /// Goes to a place of the file, which has so many bytes or more.
    void go_to(std::size_t place);

private:
    std::ifstream in_;
    std::size_t size_ = 0, left_ = 0;
};

class replacement {
public:
    /// `op`: for errors.
    replacement(const char* op, const std::string& path);
    ~replacement();
    replacement(const replacement&) = delete;
    replacement& operator=(const replacement&) = delete;

    void write(std::span<const char> bytes);
    /// Throws Error if not all was written; the file at `path` is then as it was.
    void finish();

private:
    const char* op_;
    std::string path_, partial_;
    std::ofstream out_;
    bool done_ = false;
};

}  // namespace sinter::ops
