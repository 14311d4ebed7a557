// The switch is the thread's own.
#include "model/autocast.h"

#include <ATen/autocast_mode.h>

namespace transformeter {
namespace {

void set_autocast(c10::DeviceType device, std::optional<c10::ScalarType> type) {
  at::autocast::set_autocast_enabled(device, type.has_value());
  if (type) at::autocast::set_autocast_dtype(device, *type);
}

}  // namespace

std::optional<c10::ScalarType> autocast_type(c10::DeviceType device) {
  if (!at::autocast::is_autocast_enabled(device)) return std::nullopt;
  return at::autocast::get_autocast_dtype(device);
}

Autocast::Autocast(c10::DeviceType device, std::optional<c10::ScalarType> type)
    : device_(device), before_(autocast_type(device)) {
  set_autocast(device_, type);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  // Weights cast within are let go of: the next step's are others.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  set_autocast(device_, before_);
}

}  // namespace transformeter
