// How long a sound is after each convolution, by Conv1d's formula without padding.
#include <algorithm>

#include "spec/blueprint.h"

namespace transformeter {

std::vector<std::int64_t> WaveSpec::lengths(std::int64_t samples) const {
  std::vector<std::int64_t> lengths;
  std::int64_t length = samples;
  for (const WaveLayerSpec& layer : layers) {
    const ConvolutionSpec& convolution = layer.convolution;
    length = length < convolution.kernel ? 0 : (length - convolution.kernel) / convolution.stride + 1;
    lengths.push_back(length);
  }
  return lengths;
}

std::int64_t WaveSpec::frames(std::int64_t samples) const {
  return lengths(samples).back();
}

std::int64_t WaveSpec::samples(std::int64_t frames) const {
  std::int64_t length = frames;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    length = (length - 1) * layer->convolution.stride + layer->convolution.kernel;
  }
  return length;
}

}  // namespace transformeter
