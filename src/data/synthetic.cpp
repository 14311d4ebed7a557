// A stream of its own for each example, so that more or longer examples leave the others as they are.
#include "data/synthetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"

namespace transformeter {
namespace {

std::vector<std::int32_t> ordinary_ids(const Tokenizer& tokenizer) {
  const SpecialTokens tokens = tokenizer.special_tokens();
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const bool is_special =
        id == tokens.pad || id == tokens.unk || id == tokens.cls || id == tokens.sep || id == tokens.mask;
    if (!is_special && !tokenizer.token(id).empty()) ids.push_back(id);
  }
  if (ids.empty()) throw Error(ErrorKind::kBadInput, "the tokenizer has no tokens but special ones");
  return ids;
}

}  // namespace

std::vector<Encoding> synthetic_encodings(const std::vector<std::int64_t>& lengths, const Tokenizer& tokenizer,
                                          std::uint64_t seed) {
  const SpecialTokens tokens = tokenizer.special_tokens();
  if (!tokens.cls || !tokens.sep) {
    throw Error(ErrorKind::kUnsupported, "the tokenizer has no [CLS] and [SEP] token, which synthetic texts need");
  }
  const std::vector<std::int32_t> ordinary = ordinary_ids(tokenizer);
  std::vector<Encoding> encodings;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 3) throw Error(ErrorKind::kInternal, fmt::format("a synthetic text of {} tokens", lengths[i]));
    const auto length = static_cast<std::size_t>(lengths[i]);
    RandomStream random(seed, fmt::format("synthetic/{}", i));
    Encoding encoding;
    encoding.ids.push_back(*tokens.cls);
    while (encoding.ids.size() + 1 < length) encoding.ids.push_back(ordinary[random.below(ordinary.size())]);
    encoding.ids.push_back(*tokens.sep);
    encoding.type_ids.assign(length, 0);
    encoding.special_mask.assign(length, 0);
    encoding.special_mask.front() = encoding.special_mask.back() = 1;
    encodings.push_back(std::move(encoding));
  }
  return encodings;
}

}  // namespace transformeter
