// Products that are no layer's: in every precision they run in the format of their activations.
#pragma once

namespace transformeter {

/// While one lives, the products of its thread are such, as an embedding's: what runs in 8 bits leaves them out, and
/// who watches does not take them for products that should have run so.
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
