// Tensors to a safetensors file and back, value for value.
#pragma once

#include <filesystem>
#include <vector>

#include "base/files.h"
#include "spec/safetensors.h"
#include "train/named_tensor.h"

namespace transformeter {

/// From whatever device they lie on. Throws what write_safetensors throws, and Error(kInternal) for a type that no
/// weight and no state has.
void write_tensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

/// A file that holds just these tensors, in their shapes and types.
class TensorFile {
 public:
  /// Changes nothing yet. Throws Error(kBadInput) naming file and tensor for one that is missing, one too many, and one
  /// of another shape or type.
  TensorFile(const std::filesystem::path& path, std::vector<NamedTensor> tensors);

  /// Copies the file's values into the tensors, bit for bit.
  void load() const;

 private:
  MappedFile mapping_;
  SafetensorsEntries entries_;
  std::vector<NamedTensor> tensors_;
};

}  // namespace transformeter
