// Bytes as they lie in memory.
#include "train/tensor_file.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "spec/safetensors_writer.h"

namespace transformeter {
namespace {

std::string stored_type(const NamedTensor& tensor) {
  switch (tensor.value.scalar_type()) {
    case at::kFloat:
      return "F32";
    case at::kDouble:
      return "F64";
    case at::kBFloat16:
      return "BF16";
    case at::kHalf:
      return "F16";
    case at::kLong:
      return "I64";
    default:
      throw Error(ErrorKind::kInternal, fmt::format("tensor '{}' has a type that files do not support", tensor.name));
  }
}

void check_fits(const NamedTensor& tensor, const SafetensorsEntry& entry, const std::filesystem::path& path) {
  const std::vector<std::int64_t> shape = tensor.value.sizes().vec();
  const std::string type = stored_type(tensor);
  if (entry.shape == shape && entry.dtype == type) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: tensor '{}' is [{}] of {}, expected [{}] of {}", path.string(), tensor.name,
                          fmt::join(entry.shape, ", "), entry.dtype, fmt::join(shape, ", "), type));
}

}  // namespace

void write_tensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                   const WrittenValue& written) {
  at::Tensor value;  // of the tensor that is being written
  std::vector<StoredTensor> stored;
  for (const NamedTensor& tensor : tensors) {
    const auto make_bytes = [&value, &tensor, &written] {
      value.reset();
      value = (written ? written(tensor) : tensor.value).detach().cpu().contiguous();
      return std::string_view(static_cast<const char*>(value.const_data_ptr()), value.nbytes());
    };
    stored.push_back({tensor.name, stored_type(tensor), tensor.value.sizes().vec(), {}, make_bytes});
  }
  write_safetensors(path, std::move(stored));
}

TensorFile::TensorFile(const std::filesystem::path& path, std::vector<NamedTensor> tensors)
    : mapping_(path),
      entries_(parse_safetensors_header(mapping_.bytes(), path.string())),
      tensors_(std::move(tensors)) {
  std::set<std::string> names;
  for (const NamedTensor& tensor : tensors_) {
    const auto entry = entries_.find(tensor.name);
    if (entry == entries_.end()) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} has no tensor '{}'", path.string(), tensor.name));
    }
    check_fits(tensor, entry->second, path);
    names.insert(tensor.name);
  }
  for (const auto& [name, entry] : entries_) {
    if (names.count(name) > 0) continue;
    throw Error(ErrorKind::kBadInput, fmt::format("{} has an unexpected tensor '{}'", path.string(), name));
  }
}

void TensorFile::load() const {
  const at::NoGradGuard guard;
  for (const NamedTensor& tensor : tensors_) {
    const SafetensorsEntry& entry = entries_.at(tensor.name);
    // Only read from; from_blob lacks a const form.
    void* bytes = const_cast<char*>(mapping_.bytes().data() + entry.begin);
    tensor.value.copy_(at::from_blob(bytes, entry.shape, at::TensorOptions(tensor.value.scalar_type())));
  }
}

}  // namespace transformeter
