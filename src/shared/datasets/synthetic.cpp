// A stream of its own for each example, so that more or longer examples leave the others as they are.
#include "datasets/synthetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "datasets/row_frame.h"

namespace transformeter {
namespace {

std::vector<std::int32_t> ordinary_ids(const Tokenizer& tokenizer) {
  const SpecialTokens tokens = tokenizer.special_tokens();
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const bool is_special = id == tokens.pad || id == tokens.unk || id == tokens.cls || id == tokens.sep ||
                            id == tokens.mask || id == tokens.bos || id == tokens.eos;
    if (!is_special && !tokenizer.token(id).empty()) ids.push_back(id);
  }
  if (ids.empty()) throw Error(ErrorKind::kBadInput, "the tokenizer has only special tokens");
  return ids;
}

}  // namespace

std::vector<Encoding> synthetic_encodings(const std::vector<std::int64_t>& lengths, const Tokenizer& tokenizer,
                                          std::uint64_t seed) {
  const RowFrame frame = row_frame(tokenizer);
  const std::vector<std::int32_t> ordinary = ordinary_ids(tokenizer);
  std::vector<Encoding> encodings;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] <= frame.size()) {
      throw Error(
          ErrorKind::kUnsupportedShape,
          fmt::format("a synthetic text of {} tokens has no room next to {} special tokens", lengths[i], frame.size()));
    }
    const auto length = static_cast<std::size_t>(lengths[i]);
    RandomStream random(seed, fmt::format("synthetic/{}", i));
    Encoding encoding;
    encoding.ids = frame.before;
    while (encoding.ids.size() + frame.after.size() < length) {
      encoding.ids.push_back(ordinary[random.below(ordinary.size())]);
    }
    encoding.ids.insert(encoding.ids.end(), frame.after.begin(), frame.after.end());
    encoding.type_ids.assign(length, 0);
    encoding.special_mask.assign(length, 0);
    std::fill_n(encoding.special_mask.begin(), frame.before.size(), std::uint8_t{1});
    std::fill_n(encoding.special_mask.rbegin(), frame.after.size(), std::uint8_t{1});
    encodings.push_back(std::move(encoding));
  }
  return encodings;
}

}  // namespace transformeter
