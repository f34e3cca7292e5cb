#include "base/digest.h"

#include <openssl/evp.h>

#include <cstdlib>

namespace kernloop {

std::optional<Digest> Digest::parse(std::string_view hex) {
  if (hex.size() != 64) return std::nullopt;
  const auto decoded = from_hex(hex);
  if (!decoded) return std::nullopt;
  Digest digest;
  std::copy(decoded->begin(), decoded->end(), digest.bytes.begin());
  return digest;
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  // SHA-256 is always there and these calls fail only without memory: a wrong digest must never come out.
  if (!state_->context || EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) != 1) std::abort();
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(Bytes bytes) {
  if (EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) != 1) std::abort();
}

Digest Sha256::finish() {
  Digest digest;
  if (EVP_DigestFinal_ex(state_->context, digest.bytes.data(), nullptr) != 1) std::abort();
  return digest;
}

Digest sha256(Bytes bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

}  // namespace kernloop
