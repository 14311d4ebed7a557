// The names that LibTorch's mkldnn and onednn operators take.
#include "engine/one_dnn_activation.h"

namespace transformeter {

std::optional<OneDnnActivation> one_dnn_activation(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return OneDnnActivation{"gelu", "none"};
    case Activation::kGeluTanh:
      return OneDnnActivation{"gelu", "tanh"};
    case Activation::kRelu:
      return OneDnnActivation{"relu", ""};
    case Activation::kTanh:
      return OneDnnActivation{"tanh", ""};
    case Activation::kSilu:
      return OneDnnActivation{"swish", ""};
    default:
      return std::nullopt;
  }
}

}  // namespace transformeter
