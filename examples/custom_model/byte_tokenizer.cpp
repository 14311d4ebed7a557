// Bytes to ids and back.
#include "byte_tokenizer.h"

namespace example {
namespace {

constexpr std::int32_t kPad = 0, kBegin = 1, kEnd = 2, kFirstByte = 3;

}  // namespace

ByteTokenizer::ByteTokenizer() {
  for (int byte = 0; byte < 256; ++byte) bytes_.push_back(static_cast<char>(byte));
  traits_.vocabulary_size = kFirstByte + 256;
  traits_.special.pad = kPad;
  traits_.special.bos = kBegin;
  traits_.special.eos = kEnd;
  traits_.arrangement = transformeter::bert_arrangement(kBegin, kEnd);
}

std::string_view ByteTokenizer::token(std::int32_t id) const {
  if (id == kPad) return "<pad>";
  if (id == kBegin) return "<s>";
  if (id == kEnd) return "</s>";
  return id < traits_.vocabulary_size ? std::string_view(bytes_).substr(static_cast<std::size_t>(id - kFirstByte), 1)
                                      : std::string_view();
}

void ByteTokenizer::do_encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  for (const char c : text) ids.push_back(kFirstByte + static_cast<unsigned char>(c));
}

std::vector<transformeter::Token> ByteTokenizer::do_tokenize(std::string_view text) const {
  std::vector<transformeter::Token> tokens;
  for (std::size_t i = 0; i < text.size(); ++i) {
    transformeter::Token token;
    token.id = kFirstByte + static_cast<unsigned char>(text[i]);
    token.text.assign(1, text[i]);
    token.bytes = {i, i + 1};
    tokens.push_back(token);
  }
  return tokens;
}

std::string ByteTokenizer::do_decode(std::span<const std::int32_t> ids, bool) const {
  std::string text;
  for (const std::int32_t id : ids) {
    if (id >= kFirstByte) text += token(id);
  }
  return text;
}

}  // namespace example
