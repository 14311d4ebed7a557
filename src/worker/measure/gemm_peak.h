// The fastest matrix product of a device: every kernel on typical shapes, the best of them measured again.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "device/device.h"
#include "measure/matrix_products.h"
#include "schema/peak.h"
#include "stats/stopping_rule.h"

namespace transformeter {

struct GemmSweep {
  /// Smallest first, so that a slow machine ends early: M of a sentence to a large batch, K and N of the models'
  /// layers.
  std::vector<ProductShape> shapes{{128, 768, 768},    {128, 768, 3072},   {512, 3072, 768},
                                   {1024, 1024, 1024}, {2048, 1024, 4096}, {4096, 768, 3072}};
  /// In their place on a GPU, which smaller ones do not fill.
  std::vector<ProductShape> gpu_shapes{{4096, 768, 3072},   {4096, 4096, 4096}, {16384, 1024, 4096},
                                       {16384, 4096, 1024}, {8192, 8192, 8192}, {16384, 8192, 8192}};
  double longest_search_s = 10;
  StoppingOptions stopping = default_stopping();  // of the best one

  static StoppingOptions default_stopping();
};

/// Operations a second in `precision` on the device, with the threads of this process. A precision, kernel or shape
/// that does not run is no error: the peak says why.
Peak measure_gemm_peak(const Clock& clock, Device& device, const std::string& precision, const GemmSweep& sweep = {});

}  // namespace transformeter
