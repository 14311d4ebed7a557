// Scopes may lie in one another.
#include "model/kept_format.h"

namespace transformeter {
namespace {

thread_local int depth = 0;

}  // namespace

KeptFormat::KeptFormat() {
  ++depth;
}
KeptFormat::~KeptFormat() {
  --depth;
}
bool KeptFormat::is_on() {
  return depth > 0;
}

}  // namespace transformeter
