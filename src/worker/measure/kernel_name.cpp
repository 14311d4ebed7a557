// Template arguments tell one kernel of LibTorch from another, the parameters of functions only repeat them.
#include "measure/kernel_name.h"

#include <array>
#include <cstddef>
#include <utility>

namespace transformeter {
namespace {

// What stands in nearly every name and tells nothing.
constexpr std::array<std::string_view, 5> kLeftOut{
    "at::native::", "at::cuda::", "(anonymous namespace)::", "::operator()() const", "::operator()"};

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

// A lambda's stand in braces and are its name.
std::string without_parameters(const std::string& text) {
  std::string kept;
  int parentheses = 0;
  int braces = 0;
  for (const char c : text) {
    if (c == '{') ++braces;
    if (c == '}') --braces;
    const bool is_in_name = braces > 0 && parentheses == 0;
    if (c == '(' && !is_in_name) ++parentheses;
    if (parentheses == 0) kept += c;
    if (c == ')' && !is_in_name && parentheses > 0) --parentheses;
  }
  return kept;
}

}  // namespace

std::string kernel_name(std::string_view demangled) {
  constexpr std::string_view kReturnType = "void ";
  if (demangled.starts_with("Memcpy ") || demangled.starts_with("Memset ")) return std::string(demangled);
  if (demangled.starts_with(kReturnType)) demangled.remove_prefix(kReturnType.size());
  std::string name(demangled);
  for (const std::string_view part : kLeftOut) name = without(std::move(name), part);
  return without_parameters(name);
}

}  // namespace transformeter
