// Looking through short lists.
#pragma once

#include <algorithm>

namespace transformeter {

template <typename List, typename Value>
bool contains(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace transformeter
