// Calls operators without a C++ function in LibTorch by their name in its dispatcher.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace transformeter {

/// `Signature` is checked against the operator's; throws c10::Error for another, or for a name that is not there.
template <typename Signature>
c10::TypedOperatorHandle<Signature> dispatched_operator(const char* name, const char* overload = "") {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

}  // namespace transformeter
