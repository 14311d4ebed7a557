// Writes tensors to a safetensors file and reads them back, bit for bit.
#pragma once

#include <filesystem>
#include <vector>

#include "base/files.h"
#include "spec/safetensors.h"
#include "train/named_tensor.h"

namespace transformeter {

/// From any device, of which one tensor is copied at a time, and so is what `written` makes of it; null: the tensors
/// themselves. Throws what write_safetensors throws, and Error(kInternal) for a type that neither weights nor optimizer
/// state have.
void write_tensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                   const WrittenValue& written = {});

/// A file with exactly these tensors, in these shapes and types.
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
