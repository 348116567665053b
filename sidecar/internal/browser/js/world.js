// Intentionally empty: adding it under a world's name makes that isolated world
// exist in every document from the start.
