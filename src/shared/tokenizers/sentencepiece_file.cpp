// Field numbers are those of sentencepiece_model.proto.
#include "tokenizers/sentencepiece_file.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tokenizers/charsmap.h"
#include "tokenizers/protobuf_reader.h"
#include "tokenizers/tokenizer_config.h"

namespace transformeter {
namespace {

using Kind = ProtobufField::Kind;
using Piece = SentencePieceFile::Piece;
using PieceType = SentencePieceFile::PieceType;

// Reads one file; `where_` names it in errors.
class Reader {
 public:
  explicit Reader(const std::string& where) : where_(where) {}

  SentencePieceFile read(std::string_view bytes) {
    for_each_field(bytes, "the model", [&](const ProtobufField& field) {
      if (field.kind != Kind::kBytes) return;
      if (field.number == 1) file_.pieces.push_back(read_piece(field.bytes));
      if (field.number == 2) read_trainer_spec(field.bytes);
      if (field.number == 3) file_.charsmap = read_charsmap(field.bytes);
      if (field.number == 5) read_charsmap(field.bytes);  // of the denormalizer
    });
    check_pieces();
    return std::move(file_);
  }

 private:
  Error bad(const std::string& message) const {
    return Error(ErrorKind::kBadInput, fmt::format("{}: {}", where_, message));
  }

  template <typename Handle>
  void for_each_field(std::string_view bytes, std::string_view what, Handle&& handle) const {
    ProtobufReader reader(bytes);
    while (const auto field = reader.next()) handle(*field);
    if (reader.failed()) {
      throw bad(fmt::format("{} is not a protocol buffer message; expected a sentencepiece .model file", what));
    }
  }

  Piece read_piece(std::string_view bytes) const {
    Piece piece;
    const std::size_t id = file_.pieces.size();
    std::uint64_t type = 1;
    for_each_field(bytes, fmt::format("piece {}", id), [&](const ProtobufField& field) {
      if (field.number == 1 && field.kind == Kind::kBytes) piece.text = std::string(field.bytes);
      if (field.number == 2 && field.kind == Kind::kFixed32) {
        piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
      }
      if (field.number == 3 && field.kind == Kind::kVarint) type = field.value;
    });
    if (type < 1 || type > 6) throw bad(fmt::format("piece {} has type {}; allowed: 1 to 6", id, type));
    piece.type = static_cast<PieceType>(type);
    if (first_invalid_utf8(piece.text)) throw bad(fmt::format("piece {} is not valid UTF-8", id));
    if (piece.text.empty() || piece.text.find('\0') != std::string::npos) {
      throw bad(fmt::format("piece {} is empty or contains a NUL", id));
    }
    if (!std::isfinite(piece.score)) throw bad(fmt::format("the score of piece {} '{}' is not finite", id, piece.text));
    return piece;
  }

  void read_trainer_spec(std::string_view bytes) {
    for_each_field(bytes, "the trainer's part", [&](const ProtobufField& field) {
      if (field.kind != Kind::kVarint) return;
      const auto id = static_cast<std::int32_t>(field.value);
      if (field.number == 3) {
        if (field.value < 1 || field.value > 4) {
          throw bad(fmt::format("unknown model type {}; allowed: 1 (unigram) to 4 (char)", field.value));
        }
        file_.model_type = static_cast<SentencePieceFile::ModelType>(field.value);
      }
      if (field.number == 40) file_.unk_id = id;
      if (field.number == 41) file_.bos_id = id;
      if (field.number == 42) file_.eos_id = id;
      if (field.number == 43) file_.pad_id = id;
    });
  }

  std::string read_charsmap(std::string_view bytes) const {
    std::string charsmap;
    for_each_field(bytes, "the normalizer's part", [&](const ProtobufField& field) {
      if (field.number == 2 && field.kind == Kind::kBytes) charsmap = std::string(field.bytes);
    });
    if (!charsmap.empty()) Charsmap(charsmap, where_);  // for its checks
    return charsmap;
  }

  void check_pieces() const {
    if (file_.pieces.empty()) throw bad("the model has no pieces");
    if (file_.pieces.size() >= static_cast<std::size_t>(kTokenIdLimit)) {
      throw bad(fmt::format("the model has {} pieces; allowed: up to {}", file_.pieces.size(), kTokenIdLimit - 1));
    }
    std::unordered_set<std::string_view> seen;
    int unknown = 0;
    for (const Piece& piece : file_.pieces) {
      if (!seen.insert(piece.text).second) throw bad(fmt::format("the piece '{}' occurs twice", piece.text));
      unknown += piece.type == PieceType::kUnknown ? 1 : 0;
      if (piece.type == PieceType::kByte && !is_byte(piece.text)) {
        throw bad(fmt::format("the byte piece '{}' does not have the form <0x0A>", piece.text));
      }
    }
    if (unknown != 1) throw bad(fmt::format("the model has {} unknown pieces; it must have exactly one", unknown));
  }

  static bool is_byte(std::string_view text) {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); };
    return text.size() == 6 && text.starts_with("<0x") && is_digit(text[3]) && is_digit(text[4]) && text[5] == '>';
  }

  const std::string& where_;
  SentencePieceFile file_;
};

}  // namespace

SentencePieceFile read_sentencepiece_file(std::string_view bytes, const std::string& where) {
  return Reader(where).read(bytes);
}

}  // namespace transformeter
