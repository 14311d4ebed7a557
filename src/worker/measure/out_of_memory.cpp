// A GPU's allocator has a type for it; the CPU's and oneDNN report a plain error with their wording.
#include "measure/out_of_memory.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <string_view>

#include "base/error.h"

namespace transformeter {

bool is_out_of_memory(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return own->kind() == ErrorKind::kOutOfMemory;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  constexpr std::string_view kWords[] = {"DefaultCPUAllocator", "not enough memory", "could not create a memory"};
  const std::string_view text = error.what();
  // oneDNN, of a kernel that it has described already: only memory is left to fail.
  if (text.substr(0, text.find('\n')) == "could not create a primitive") return true;
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view words) { return text.find(words) != std::string_view::npos; });
}

}  // namespace transformeter
