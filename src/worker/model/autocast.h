// LibTorch's automatic choice of a precision for each operator.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>

namespace transformeter {

/// What automatic casting a kind of device is set to: the type of products, or nothing where it is off.
std::optional<c10::ScalarType> autocast_type(c10::DeviceType device);

/// Between its begin and its end operators take the precision that LibTorch's lists give them, products `type`;
/// nothing: inputs as they are given, within another too. Weights cast within the outermost are let go of at its end.
class Autocast {
 public:
  Autocast(c10::DeviceType device, std::optional<c10::ScalarType> type);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  std::optional<c10::ScalarType> before_;
};

}  // namespace transformeter
