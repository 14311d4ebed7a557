// Marks products that no precision changes: they run in the format of their activations.
#pragma once

namespace transformeter {

/// While one lives, the products of its thread are such, as an embedding's: a KernelProbe does not expect them in 8
/// bits.
class KeptFormat {
 public:
  KeptFormat();
  ~KeptFormat();
  KeptFormat(const KeptFormat&) = delete;
  KeptFormat& operator=(const KeptFormat&) = delete;

  /// Whether one lives on this thread.
  static bool is_on();
};

}  // namespace transformeter
